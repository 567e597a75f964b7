-- When records were first received, by the server's clock, and from whom. What was stored before has been known since 0.
--
-- late marks what was said of a run anew after it had ended. What that would clear stays chosen beside it, with when
-- that was received and from whom. See in_force/corrections.py.

ALTER TABLE observation ADD COLUMN known INTEGER NOT NULL DEFAULT 0;
ALTER TABLE observation ADD COLUMN who TEXT NOT NULL DEFAULT '';
ALTER TABLE observation ADD COLUMN late INTEGER NOT NULL DEFAULT 0;
CREATE INDEX observation_late ON observation (slot, run) WHERE late = 1;
ALTER TABLE io ADD COLUMN known INTEGER NOT NULL DEFAULT 0;
ALTER TABLE change ADD COLUMN known INTEGER NOT NULL DEFAULT 0;
ALTER TABLE change ADD COLUMN who TEXT NOT NULL DEFAULT '';
ALTER TABLE run ADD COLUMN settled INTEGER;
ALTER TABLE run ADD COLUMN refuted INTEGER;
UPDATE run SET settled = 0 WHERE ended IS NOT NULL;
UPDATE run SET refuted = 0 WHERE failed IS NOT NULL OR aborted IS NOT NULL;
ALTER TABLE chosen ADD COLUMN cleared INTEGER;
ALTER TABLE chosen ADD COLUMN cleared_by TEXT NOT NULL DEFAULT '';
CREATE INDEX chosen_cleared ON chosen (slot) WHERE cleared IS NOT NULL;
