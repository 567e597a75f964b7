-- What decides between the runs of a slot, kept beside each observation, so that the newest is found by index:
-- 1 told lineage or completed, 0 has only begun, NULL failed. See stores/current.py.

ALTER TABLE observation ADD COLUMN standing INTEGER;
UPDATE observation SET standing = (
    SELECT CASE
        WHEN r.failed IS NOT NULL OR r.aborted IS NOT NULL THEN NULL
        WHEN observation.static OR r.completed IS NOT NULL OR v.rank > 0 THEN 1
        ELSE 0
    END
    FROM version v LEFT JOIN run r ON r.key = observation.run
    WHERE v.key = observation.version
);
CREATE INDEX observation_by_standing ON observation (slot, standing, last, run);
