// What might be made of a dataset, also by jobs of which a path of the output is incomplete and does not list what was
// read. The reasons that do are those of headwater_backend.domain.model. A gap is JSON: [reason, path, detail].
MATCH (v:Version) WHERE v.untold IS NULL AND size(v.gaps) > 0
AND any(gap IN v.gaps WHERE NOT gap =~ '(?s)\\["(TYPED_OPERATION|SCRIPT|DRIVER|SCHEMA_DRIFT|[^"]*_UD(F|AF|TF))", ".*')
SET v.untold = true;
