-- What still speaks of a version or a slot, when others are forgotten.

CREATE INDEX observation_by_version ON observation (version);
CREATE INDEX version_by_slot ON version (slot);
