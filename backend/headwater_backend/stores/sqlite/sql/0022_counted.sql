-- Datasets of which runs counted the same: one may be a copy of the other.

CREATE INDEX facet_size ON facet (json_extract(body, '$.size'))
WHERE name IN ('inputStatistics', 'outputStatistics');
CREATE INDEX facet_rows ON facet (json_extract(body, '$.rowCount'))
WHERE name IN ('inputStatistics', 'outputStatistics');
