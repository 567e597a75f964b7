-- Who sent a dead letter, with the rights of then: what was a claim stays one when the letter is tried again.

ALTER TABLE dead_letter ADD COLUMN sender TEXT;
