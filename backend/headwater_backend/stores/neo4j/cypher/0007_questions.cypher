// Which runs used a dataset.
CREATE INDEX headwater_io_dataset IF NOT EXISTS FOR (n:Io) ON (n.dataset);
