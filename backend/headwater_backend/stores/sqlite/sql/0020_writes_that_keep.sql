-- A write that keeps what was in its output leaves the lineage of the runs before it current, so an output of a job may
-- have several current versions. See stores/current.py. Nothing says this of the writes that were stored before.
--
-- Of a run's observations of a slot, only the one that counts has a standing; all have the time of the last.

ALTER TABLE observation ADD COLUMN keeps INTEGER NOT NULL DEFAULT 0;
ALTER TABLE observation ADD COLUMN reported INTEGER;
DROP INDEX observation_by_standing;
UPDATE observation SET
    standing = CASE WHEN version = (
        SELECT n.version FROM observation n JOIN version w ON w.key = n.version
        WHERE n.slot = observation.slot AND n.run = observation.run
        ORDER BY w.rank DESC, n.last DESC, n.version DESC LIMIT 1
    ) THEN standing END,
    reported = (
        SELECT max(n.last) FROM observation n WHERE n.slot = observation.slot AND n.run = observation.run
    );
CREATE INDEX observation_by_standing ON observation (slot, keeps, standing, reported, run);
CREATE INDEX observation_that_keeps ON observation (version, keeps, standing, reported, run) WHERE keeps = 1;

CREATE TABLE chosen (
    slot    TEXT NOT NULL REFERENCES slot (key),
    version TEXT NOT NULL,
    run     TEXT NOT NULL,
    PRIMARY KEY (slot, version)
) WITHOUT ROWID;
INSERT INTO chosen (slot, version, run) SELECT key, version, run FROM slot WHERE version IS NOT NULL;
ALTER TABLE slot DROP COLUMN version;
ALTER TABLE slot DROP COLUMN run;
