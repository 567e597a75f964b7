// The runs that a run started: the id that a parent facet names lies beside it. The facet is canonical JSON, in which
// the parent's own run comes last.
CREATE INDEX headwater_facet_parent IF NOT EXISTS FOR (n:Facet) ON (n.parent);
MATCH (f:Facet {name: 'parent'}) WHERE f.body CONTAINS '"runId":"'
SET f.parent = toLower(left(last(split(f.body, '"runId":"')), 36));
