// Under which conditions a run made a version, as a set of digests: see domain/records.py. Nothing is known of those of
// the runs that were stored before.
CREATE CONSTRAINT headwater_conditions IF NOT EXISTS FOR (n:Conditions) REQUIRE n.digest IS UNIQUE;
MATCH (o:Observation) CALL (o) { SET o.conditions = '-' } IN TRANSACTIONS OF 10000 ROWS;
