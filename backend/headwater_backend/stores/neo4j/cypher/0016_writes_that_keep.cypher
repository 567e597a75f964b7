// A write that keeps what was in its output leaves the lineage of the runs before it current, so an output of a job may
// have several current versions, each a Chosen. See stores/current.py. Nothing says this of the writes that were stored
// before. Of a run's observations of a slot, only the one that counts has a standing; all have the time of the last.
CREATE CONSTRAINT headwater_chosen IF NOT EXISTS FOR (n:Chosen) REQUIRE n.version IS UNIQUE;
CREATE INDEX headwater_chosen_slot IF NOT EXISTS FOR (n:Chosen) ON (n.slot);
CREATE INDEX headwater_chosen_output IF NOT EXISTS FOR (n:Chosen) ON (n.output);
CREATE INDEX headwater_chosen_run IF NOT EXISTS FOR (n:Chosen) ON (n.run);
MATCH (s:Slot) WHERE s.version IS NOT NULL
CALL (s) {
    MERGE (c:Chosen {version: s.version})
    SET c.slot = s.key, c.job = s.job, c.output = s.output, c.run = s.run
    REMOVE s.version, s.run
} IN TRANSACTIONS OF 10000 ROWS;
MATCH (o:Observation)
WITH o ORDER BY o.rank DESC, o.last DESC, o.version DESC
WITH o.run AS run, o.slot AS slot, collect(o) AS observations, max(o.last) AS reported
CALL (observations, reported) {
    UNWIND observations AS o
    SET o.keeps = false, o.reported = reported,
        o.standing = CASE WHEN o = observations[0] THEN o.standing END
} IN TRANSACTIONS OF 10000 ROWS;
DROP INDEX headwater_observation_standing IF EXISTS;
CREATE INDEX headwater_version_slot IF NOT EXISTS FOR (n:Version) ON (n.slot);
CREATE INDEX headwater_observation_standing IF NOT EXISTS
FOR (n:Observation) ON (n.slot, n.keeps, n.standing, n.reported, n.run);
CREATE INDEX headwater_observation_keeps IF NOT EXISTS
FOR (n:Observation) ON (n.version, n.keeps, n.standing, n.reported, n.run);
