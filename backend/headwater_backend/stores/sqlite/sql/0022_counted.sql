-- Datasets of which runs counted the same: one may be a copy of the other.

CREATE INDEX facet_size ON facet (json_extract(body, '$.size'))
WHERE name IN ('inputStatistics', 'outputStatistics');
CREATE INDEX facet_rows ON facet (json_extract(body, '$.rowCount'))
WHERE name IN ('inputStatistics', 'outputStatistics');

-- Whether a dataset was read before it was first written.
CREATE INDEX io_by_use ON io (dataset, direction, first);
DROP INDEX io_by_dataset;
