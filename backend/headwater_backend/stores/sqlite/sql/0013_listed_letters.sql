-- A list of dead letters tells what each is about, and does not read its event. Of those that are kept already it says so
-- when they were tried again.

ALTER TABLE dead_letter ADD COLUMN about TEXT NOT NULL DEFAULT '';
