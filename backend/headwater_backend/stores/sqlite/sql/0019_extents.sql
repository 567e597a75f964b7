-- How much of a dataset a change of its state replaced: WHOLE, PART, or empty where it is not known, as for all changes until
-- now; and when writes with a layout certainly replaced all of it.

ALTER TABLE change ADD COLUMN replaced TEXT NOT NULL DEFAULT '';
ALTER TABLE layout ADD COLUMN whole INTEGER;
ALTER TABLE layout ADD COLUMN whole_last INTEGER;
