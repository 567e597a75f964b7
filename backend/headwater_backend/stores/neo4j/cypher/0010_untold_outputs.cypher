// What might be made of a dataset, also by jobs whose lineage of an output is incomplete as a whole. untold repeats what
// rank and gaps say of a version, so that an index finds these alone. A gap is JSON: [reason, path, detail].
MATCH (v:Version) WHERE v.rank = 0 OR size(v.gaps) > 0
MATCH (s:Slot {key: v.slot})
WITH v, ', "' + replace(replace(s.output, '\\', '\\\\'), '"', '\\"') + '", ' AS whole
WHERE v.rank = 0 OR any(gap IN v.gaps WHERE gap CONTAINS whole)
SET v.untold = true;
DROP INDEX headwater_version_rank IF EXISTS;
CREATE INDEX headwater_version_untold IF NOT EXISTS FOR (n:Version) ON (n.untold);
