-- The runs that a run started, by what their parent facets name.

CREATE INDEX facet_parent ON facet (lower(json_extract(body, '$.run.runId'))) WHERE name = 'parent';
