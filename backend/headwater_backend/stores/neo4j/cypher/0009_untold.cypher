// What might be made of a dataset, by jobs that read it and tell no lineage.
CREATE INDEX headwater_version_rank IF NOT EXISTS FOR (n:Version) ON (n.rank);
