"""The Cypher of gaps of lineage."""

from __future__ import annotations

from typing import Final

from headwater_backend.stores.rows.statements import GapStatements

ASKED: Final = """
UNWIND $keys AS asked
CALL (asked) {
    RETURN asked AS name
    UNION MATCH (a:Alias {name: asked}) RETURN a.canonical AS name
    UNION MATCH (a:Alias {canonical: asked}) RETURN a.name AS name
}
WITH DISTINCT name
"""
_OUTPUTS_NOW: Final = "CALL (name) { MATCH (s:Slot {output: name}) "
_OUTPUTS_THEN: Final = "CALL (name) { UNWIND coalesce($decided[name], []) AS s "
_GAPS_OF_OUTPUTS: Final = """
    MATCH (v:Version {key: s.version}) WHERE size(v.gaps) > 0 OR v.rank = 0
    RETURN s.output AS output, s.job AS job, v.gaps AS gaps, v.rank = 0 AND EXISTS {
        MATCH (i:Io {run: s.run}) WHERE i.direction = 'INPUT' AND i.first <= $at
    } AS no_lineage
    UNION ALL
    MATCH (d:Drift {dataset: name}) WHERE d.use = 'INPUT'
    RETURN d.path AS output, d.job AS job, [d.gap] AS gaps, false AS no_lineage
}
RETURN output, job, gaps, no_lineage
"""
UNLISTED: Final = "MATCH (v:Version) USING INDEX SEEK v:Version(untold) WHERE v.untold = true "
_UNLISTED_NOW: Final = "MATCH (s:Slot {key: v.slot}) WHERE s.version = v.key "
_UNLISTED_THEN: Final = """
UNWIND keys($decided) AS output
UNWIND $decided[output] AS s
MATCH (v:Version {key: s.version}) WHERE v.untold = true
"""
_READ_FOR_THEM: Final = """
MATCH (i:Io {run: s.run}) USING INDEX SEEK i:Io(run)
WHERE i.direction = 'INPUT' AND i.dataset IN $names AND i.first <= $at
RETURN s.output AS output, s.job AS job, v.gaps AS gaps, v.rank = 0 AS no_lineage, collect(i.dataset) AS reads
UNION ALL
UNWIND $names AS name
MATCH (d:Drift {dataset: name}) WHERE d.use = 'OUTPUT'
RETURN d.path AS output, d.job AS job, [d.gap] AS gaps, false AS no_lineage, [name] AS reads
"""

GAPS: Final = GapStatements(
    incomplete=ASKED + _OUTPUTS_NOW + _GAPS_OF_OUTPUTS,
    incomplete_then=ASKED + _OUTPUTS_THEN + _GAPS_OF_OUTPUTS,
    unlisted=UNLISTED + _UNLISTED_NOW + _READ_FOR_THEM,
    unlisted_then=_UNLISTED_THEN + _READ_FOR_THEM,
)
