// What stewards decided about names, see headwater_backend.names, and the links between datasets that follow from it:
// of each alias that stands, and of each name to which a namespace rule applies.
CREATE CONSTRAINT headwater_decision IF NOT EXISTS FOR (n:Decision) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT headwater_decided_link IF NOT EXISTS FOR (n:DecidedLink) REQUIRE n.key IS UNIQUE;
CREATE INDEX headwater_decided_link_name IF NOT EXISTS FOR (n:DecidedLink) ON (n.name);
CREATE INDEX headwater_decided_link_dataset IF NOT EXISTS FOR (n:DecidedLink) ON (n.dataset);
