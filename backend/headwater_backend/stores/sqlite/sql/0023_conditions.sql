-- Under which conditions a run made a version, as a set of digests: see domain/records.py. Nothing is known of those of
-- the runs that were stored before.

ALTER TABLE observation ADD COLUMN conditions TEXT NOT NULL DEFAULT '-';

CREATE TABLE conditions (
    digest TEXT PRIMARY KEY,
    body   TEXT NOT NULL
) WITHOUT ROWID;
