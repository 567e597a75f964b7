-- What might be made of a dataset, also by jobs whose lineage of an output is incomplete as a whole. untold repeats what
-- rank and gap say of a version, so that an index finds these alone.

ALTER TABLE version ADD COLUMN untold INTEGER NOT NULL DEFAULT 0;
UPDATE version SET untold = 1 WHERE rank = 0 OR EXISTS (
    SELECT 1 FROM gap g JOIN slot s ON s.key = version.slot WHERE g.version = version.id AND g.path = s.output
);
DROP INDEX version_untold;
CREATE INDEX version_untold ON version (slot) WHERE untold;
