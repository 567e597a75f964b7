// What runs told of the state of datasets: created, renamed, dropped. run is empty where an event without a run told it,
// previous is the key of the former name where the change is RENAME.
CREATE CONSTRAINT headwater_change IF NOT EXISTS FOR (n:Change) REQUIRE n.key IS UNIQUE;
CREATE INDEX headwater_change_dataset IF NOT EXISTS FOR (n:Change) ON (n.dataset, n.change);
CREATE INDEX headwater_change_run IF NOT EXISTS FOR (n:Change) ON (n.run);
CREATE INDEX headwater_change_previous IF NOT EXISTS FOR (n:Change) ON (n.previous);
