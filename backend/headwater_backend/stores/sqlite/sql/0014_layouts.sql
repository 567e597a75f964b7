-- With which columns jobs read and wrote datasets, and what follows where those differ (stores/drift.py): read_as are the
-- stored paths that a job reads by other names, drift those of which it is not known what they are.

CREATE TABLE layout (
    dataset       TEXT NOT NULL REFERENCES dataset (key),
    use           TEXT NOT NULL CHECK (use IN ('INPUT', 'OUTPUT')),
    job           TEXT NOT NULL REFERENCES job (key),
    digest        TEXT NOT NULL,
    body          TEXT NOT NULL,
    first         INTEGER NOT NULL,
    last          INTEGER NOT NULL,
    replaced      INTEGER,
    replaced_last INTEGER,
    PRIMARY KEY (dataset, use, digest, job)
);

CREATE TABLE read_as (
    source  INTEGER NOT NULL REFERENCES path (id),
    target  INTEGER NOT NULL REFERENCES path (id),
    dataset TEXT NOT NULL REFERENCES dataset (key),
    job     TEXT NOT NULL REFERENCES job (key),
    way     INTEGER NOT NULL REFERENCES way (id),
    since   INTEGER NOT NULL,
    current INTEGER NOT NULL,
    PRIMARY KEY (target, source, job, way)
) WITHOUT ROWID;
CREATE INDEX read_as_by_source ON read_as (source);
CREATE INDEX read_as_by_dataset ON read_as (dataset);

CREATE TABLE drift (
    dataset TEXT NOT NULL REFERENCES dataset (key),
    job     TEXT NOT NULL REFERENCES job (key),
    use     TEXT NOT NULL CHECK (use IN ('INPUT', 'OUTPUT')),
    path    TEXT NOT NULL,
    detail  TEXT NOT NULL,
    PRIMARY KEY (dataset, job, use, path, detail)
) WITHOUT ROWID;
