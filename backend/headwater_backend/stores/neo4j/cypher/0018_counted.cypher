// Datasets of which runs counted the same: one may be a copy of the other. What was counted lies beside the facet, which
// is canonical JSON.
CREATE INDEX headwater_facet_size IF NOT EXISTS FOR (n:Facet) ON (n.size);
CREATE INDEX headwater_facet_rows IF NOT EXISTS FOR (n:Facet) ON (n.rows);
MATCH (f:Facet) WHERE f.name IN ['inputStatistics', 'outputStatistics'] AND f.body CONTAINS '"size":'
SET f.size = toInteger(split(split(split(f.body, '"size":')[1], ',')[0], '}')[0]);
MATCH (f:Facet) WHERE f.name IN ['inputStatistics', 'outputStatistics'] AND f.body CONTAINS '"rowCount":'
SET f.rows = toInteger(split(split(split(f.body, '"rowCount":')[1], ',')[0], '}')[0]);
// Whether a dataset was read before it was first written.
CREATE INDEX headwater_io_use IF NOT EXISTS FOR (n:Io) ON (n.dataset, n.direction, n.first);
