-- What might be made of a dataset, by jobs that read it and tell no lineage.

CREATE INDEX version_untold ON version (slot) WHERE rank = 0;
