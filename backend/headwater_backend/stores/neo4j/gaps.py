"""The gaps of lineage in Neo4j."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Final

from neo4j import ManagedTransaction

from headwater_backend.domain.model import DatasetKey, Incomplete
from headwater_backend.domain.moments import micros
from headwater_backend.domain.node_keys import named_text
from headwater_backend.stores import gaps
from headwater_backend.stores.current import FOREVER
from headwater_backend.stores.gaps import OutputRow
from headwater_backend.stores.neo4j import statements as cypher
from headwater_backend.stores.neo4j.questions import chosen_at

_NAMES: Final = """
UNWIND $datasets AS asked
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
RETURN [], output, job, gaps, no_lineage
"""
OUTPUT_SLOTS: Final = _NAMES + "MATCH (s:Slot {output: name}) RETURN s.key, s.job, s.output"
INCOMPLETE: Final = _NAMES + _OUTPUTS_NOW + _GAPS_OF_OUTPUTS
INCOMPLETE_THEN: Final = _NAMES + _OUTPUTS_THEN + _GAPS_OF_OUTPUTS

_UNLISTED: Final = "MATCH (v:Version) USING INDEX SEEK v:Version(untold) WHERE v.untold = true "
_UNLISTED_NOW: Final = "MATCH (s:Slot {key: v.slot}) WHERE s.version = v.key "
_UNLISTED_THEN: Final = "UNWIND $decided AS s MATCH (v:Version {key: s.version}) WHERE v.untold = true "
_READ_FOR_THEM: Final = """
MATCH (i:Io {run: s.run}) USING INDEX SEEK i:Io(run)
WHERE i.direction = 'INPUT' AND i.dataset IN $names AND i.first <= $at
RETURN collect(i.dataset) AS reads, s.output AS output, s.job AS job, v.gaps AS gaps, v.rank = 0 AS no_lineage
UNION ALL
UNWIND $names AS name
MATCH (d:Drift {dataset: name}) WHERE d.use = 'OUTPUT'
RETURN [name] AS reads, d.path AS output, d.job AS job, [d.gap] AS gaps, false AS no_lineage
"""
UNLISTED_SLOTS: Final = (
    _UNLISTED + "WITH DISTINCT v.slot AS slot MATCH (s:Slot {key: slot}) RETURN s.key, s.job, s.output"
)
UNLISTED: Final = _UNLISTED + _UNLISTED_NOW + _READ_FOR_THEM
UNLISTED_THEN: Final = _UNLISTED_THEN + _READ_FOR_THEM


def incomplete(
    tx: ManagedTransaction, datasets: Sequence[DatasetKey], as_of: datetime | None
) -> list[Incomplete]:
    """The gaps of the lineage into the datasets."""
    wanted: dict[str, Any] = {"datasets": [named_text(key) for key in datasets], "at": FOREVER}
    if as_of is None:
        rows = tx.run(INCOMPLETE, wanted).values()
    else:
        at = micros(as_of)
        by_output: dict[str, list[dict[str, str]]] = {}
        for each in _decided(tx, tx.run(OUTPUT_SLOTS, wanted).values(), at):
            by_output.setdefault(each["output"], []).append(each)
        rows = tx.run(INCOMPLETE_THEN, {**wanted, "at": at, "decided": by_output}).values()
    own = _own_names(tx)
    return gaps.sorted_gaps((gap for row in rows for gap in _output(row).rows()), own)


def possible_outputs(
    tx: ManagedTransaction, datasets: Sequence[DatasetKey], as_of: datetime | None
) -> dict[DatasetKey, Sequence[Incomplete]]:
    """The gaps at which anything of the datasets may have arrived, by the dataset asked for."""
    names = tx.run(cypher.NAMES_OF, keys=[named_text(key) for key in datasets]).values()
    wanted: dict[str, Any] = {"names": [name for name, _ in names], "at": FOREVER}
    if as_of is None:
        rows = tx.run(UNLISTED, wanted).values()
    else:
        at = micros(as_of)
        decided = _decided(tx, tx.run(UNLISTED_SLOTS).values(), at)
        rows = tx.run(UNLISTED_THEN, {**wanted, "at": at, "decided": decided}).values()
    own = _own_names(tx) if rows else {}
    return gaps.possible_outputs(names, map(_output, rows), own)


def _own_names(tx: ManagedTransaction) -> dict[str, str]:
    return dict(tx.run(cypher.SEEN_ALIASES).values())


def _decided(tx: ManagedTransaction, slots: Iterable[Sequence[str]], at: int) -> list[dict[str, str]]:
    """The versions of the slots that were current at that moment."""
    named = {key: {"job": job, "output": output} for key, job, output in slots}
    then = chosen_at(tx, list(named), at)
    return [{**named[key], "version": seen.version, "run": seen.run} for key, seen in then.items()]


def _output(row: Sequence[Any]) -> OutputRow:
    reads, output, job, listed, no_lineage = row
    return OutputRow(reads, output, job, [json.loads(gap) for gap in listed], no_lineage)
