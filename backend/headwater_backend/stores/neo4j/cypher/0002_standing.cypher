// What decides between the runs of a slot, kept at each observation, so that the newest is found by index:
// 1 told lineage or completed, 0 has only begun, none failed. See stores/current.py.
MATCH (o:Observation)
CALL (o) {
    OPTIONAL MATCH (r:Run {key: o.run})
    SET o.standing = CASE
        WHEN r.failed IS NOT NULL OR r.aborted IS NOT NULL THEN NULL
        WHEN o.static OR r.completed IS NOT NULL OR o.rank > 0 THEN 1
        ELSE 0
    END
} IN TRANSACTIONS OF 10000 ROWS;
CREATE INDEX headwater_observation_standing IF NOT EXISTS
FOR (n:Observation) ON (n.slot, n.standing, n.last, n.run);
