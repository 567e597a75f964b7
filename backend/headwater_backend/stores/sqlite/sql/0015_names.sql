-- What stewards decided about names, see headwater_backend.names, and the links between datasets that follow from it:
-- of each alias that stands, and of each name to which a namespace rule applies.

CREATE TABLE decision (
    subject TEXT NOT NULL,
    time    INTEGER NOT NULL,
    content TEXT NOT NULL,
    actor   TEXT NOT NULL,
    reason  TEXT NOT NULL,
    PRIMARY KEY (subject, time, content, actor, reason)
) WITHOUT ROWID;

CREATE TABLE decided_link (
    name    TEXT NOT NULL,
    dataset TEXT NOT NULL,
    kind    TEXT NOT NULL,
    PRIMARY KEY (name, dataset, kind)
) WITHOUT ROWID;
CREATE INDEX decided_link_by_dataset ON decided_link (dataset);
