-- What runs told of the state of datasets: created, renamed, dropped. run is empty where an event without a run told it,
-- previous is the key of the former name where the change is RENAME.

CREATE TABLE change (
    dataset  TEXT NOT NULL REFERENCES dataset (key),
    change   TEXT NOT NULL,
    time     INTEGER NOT NULL,
    run      TEXT NOT NULL,
    previous TEXT NOT NULL,
    PRIMARY KEY (dataset, change, time, run, previous)
) WITHOUT ROWID;
CREATE INDEX change_by_run ON change (run);
CREATE INDEX change_by_previous ON change (previous) WHERE previous <> '';
