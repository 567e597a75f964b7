-- Times are microseconds since 1970 UTC, keys are the texts of headwater_backend.domain.node_keys.

CREATE TABLE dataset (
    key       TEXT PRIMARY KEY,
    namespace TEXT NOT NULL,
    name      TEXT NOT NULL,
    folded    TEXT NOT NULL,
    first     INTEGER NOT NULL,
    last      INTEGER NOT NULL
) WITHOUT ROWID;
CREATE UNIQUE INDEX dataset_by_name ON dataset (namespace, name);

-- What symlinks facets say, and what follows from it: every name that is not canonical.
CREATE TABLE symlink (
    name    TEXT NOT NULL,
    dataset TEXT NOT NULL,
    time    INTEGER NOT NULL,
    PRIMARY KEY (name, dataset)
) WITHOUT ROWID;
CREATE INDEX symlink_by_dataset ON symlink (dataset);

CREATE TABLE alias (
    name      TEXT PRIMARY KEY,
    canonical TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX alias_by_canonical ON alias (canonical);

CREATE TABLE job (
    key       TEXT PRIMARY KEY,
    namespace TEXT NOT NULL,
    name      TEXT NOT NULL,
    first     INTEGER NOT NULL,
    last      INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE run (
    key       TEXT PRIMARY KEY,
    job       TEXT NOT NULL REFERENCES job (key),
    run_id    TEXT NOT NULL,
    first     INTEGER NOT NULL,
    last      INTEGER NOT NULL,
    started   INTEGER,
    running   INTEGER,
    completed INTEGER,
    failed    INTEGER,
    aborted   INTEGER,
    other     INTEGER,
    ended     INTEGER
) WITHOUT ROWID;
CREATE INDEX run_by_job ON run (job, first);

-- run is a run's key, or that of a job event, which has no row in run.
CREATE TABLE io (
    run       TEXT NOT NULL,
    direction TEXT NOT NULL CHECK (direction IN ('INPUT', 'OUTPUT')),
    dataset   TEXT NOT NULL REFERENCES dataset (key),
    first     INTEGER NOT NULL,
    last      INTEGER NOT NULL,
    PRIMARY KEY (run, direction, dataset)
) WITHOUT ROWID;
CREATE INDEX io_by_dataset ON io (dataset);

CREATE TABLE facet (
    owner  TEXT NOT NULL,
    name   TEXT NOT NULL,
    time   INTEGER NOT NULL,
    digest TEXT NOT NULL,
    body   TEXT,
    PRIMARY KEY (owner, name)
);
CREATE INDEX facet_tags ON facet (owner) WHERE name = 'tags';

CREATE TABLE path (
    id  INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE
);

-- A slot is one output of one job; version and run say what is current, as stores/current.py chooses.
CREATE TABLE slot (
    key     TEXT PRIMARY KEY,
    job     TEXT NOT NULL REFERENCES job (key),
    output  TEXT NOT NULL REFERENCES dataset (key),
    version TEXT,
    run     TEXT
) WITHOUT ROWID;
CREATE INDEX slot_by_output ON slot (output);

CREATE TABLE version (
    id   INTEGER PRIMARY KEY,
    key  TEXT NOT NULL UNIQUE,
    slot TEXT NOT NULL REFERENCES slot (key),
    rank INTEGER NOT NULL
);

CREATE TABLE gap (
    version INTEGER NOT NULL REFERENCES version (id),
    reason  TEXT NOT NULL,
    path    TEXT NOT NULL,
    detail  TEXT NOT NULL,
    PRIMARY KEY (version, reason, path, detail)
) WITHOUT ROWID;

CREATE TABLE observation (
    slot    TEXT NOT NULL REFERENCES slot (key),
    run     TEXT NOT NULL,
    version TEXT NOT NULL REFERENCES version (key),
    static  INTEGER NOT NULL,
    first   INTEGER NOT NULL,
    last    INTEGER NOT NULL,
    PRIMARY KEY (slot, run, version)
) WITHOUT ROWID;
CREATE INDEX observation_by_run ON observation (run);

-- current repeats slot.version = this version: neighbours is asked once a level, versions change seldom.
CREATE TABLE edge (
    version         INTEGER NOT NULL REFERENCES version (id),
    source          INTEGER NOT NULL REFERENCES path (id),
    target          INTEGER NOT NULL REFERENCES path (id),
    current         INTEGER NOT NULL DEFAULT 0,
    direct          INTEGER NOT NULL,
    indirect        INTEGER NOT NULL,
    transformations TEXT NOT NULL,
    PRIMARY KEY (version, target, source)
) WITHOUT ROWID;
CREATE INDEX edge_by_target ON edge (target, current);
CREATE INDEX edge_by_source ON edge (source, current);
