// When records were first received, by the server's clock, and from whom. What was stored before has been known since 0.
// late marks what was said of a run anew after it had ended. What that would clear stays Chosen beside it, with when that
// was received and from whom. See in_force/corrections.py.
MATCH (o:Observation) CALL (o) { SET o.known = 0, o.who = '' } IN TRANSACTIONS OF 10000 ROWS;
MATCH (i:Io) CALL (i) { SET i.known = 0 } IN TRANSACTIONS OF 10000 ROWS;
MATCH (c:Change) CALL (c) { SET c.known = 0, c.who = '' } IN TRANSACTIONS OF 10000 ROWS;
MATCH (r:Run) WHERE r.ended IS NOT NULL
CALL (r) {
    SET r.settled = 0, r.refuted = CASE WHEN r.failed IS NOT NULL OR r.aborted IS NOT NULL THEN 0 END
} IN TRANSACTIONS OF 10000 ROWS;
MATCH (c:Chosen) CALL (c) { SET c.cleared_by = '' } IN TRANSACTIONS OF 10000 ROWS;
CREATE INDEX headwater_observation_late IF NOT EXISTS FOR (n:Observation) ON (n.slot, n.late);
CREATE INDEX headwater_chosen_cleared IF NOT EXISTS FOR (n:Chosen) ON (n.cleared);
