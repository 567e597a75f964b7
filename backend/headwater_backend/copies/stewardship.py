"""Stewards confirm, refuse and reopen probable copies.

What is confirmed becomes lineage: a run of a job of its own, at the moment before the copy was first read, that copied
the original as a whole. So every question follows it like any other lineage, also about earlier times, and data that
have been replaced in the original since are still looked for in the copy. Where a confirmation is taken back, that run
has failed: nothing follows it any more, and answers about personal data say that it may have brought some.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import NAMESPACE_URL, uuid5

from headwater_backend.copies.decisions import Pair, content, in_force, is_about_copies, is_confirmed
from headwater_backend.domain.audit_log import AuditNote
from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.model import Dataset, Use
from headwater_backend.domain.moments import micros
from headwater_backend.domain.records import Batch, DecisionMade
from headwater_backend.domain.roles import Caller
from headwater_backend.names.checks import require_few, require_namespaces, require_reason
from headwater_backend.names.decisions import time_after
from headwater_backend.names.stewardship import Steward
from headwater_backend.ports import Catalog, CataloguedRuns, LineageStore, StewardDecisions
from headwater_backend.questions.resolving import resolve_dataset
from headwater_facets.producer import FACET_PRODUCER
from headwater_facets.schemas import PATH_LINEAGE, schema_url

ACTION: Final = "copies"
"""The action of an entry of the audit log about decisions about copies."""
EVENT_SCHEMA: Final = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent"
_BEFORE: Final = timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True)
class Wanted:
    """The wishes of a steward: pairs that are copies, pairs that are none, and pairs that are undecided again."""

    confirmed: tuple[Pair, ...] = ()
    refused: tuple[Pair, ...] = ()
    reopened: tuple[Pair, ...] = ()


def decide(
    store: LineageStore, wanted: Wanted, steward: Steward, *, dry_run: bool = False
) -> tuple[DecisionMade, ...]:
    """Put the wishes in force, and return the decisions that were not yet.

    Raises ``BadQuestion``, ``Forbidden`` or ``UnknownDataset``.
    """
    require_reason(steward.reason)
    contents = _contents(store, wanted, steward.caller)
    moments = {pair: _moment(store, pair, steward.now) for pair, wished in contents.items() if wished}
    made: list[DecisionMade] = []

    def batch(decisions: Sequence[DecisionMade]) -> Batch:
        stand = in_force(decisions)
        made[:] = _decisions(contents, stand, steward)
        require_few(made)
        notes = tuple(_note(each, steward) for each in made)
        runs = (_run_of(each, stand.get(each.subject), moments, steward.now) for each in made)
        copied = Batch.merged(run for run in runs if run is not None)
        copied = copied.received(micros(steward.now), steward.caller.name)
        return replace(copied, decisions=tuple(made), notes=notes)

    store.decide(batch, dry_run=dry_run)
    return tuple(made)


def history(store: StewardDecisions) -> list[DecisionMade]:
    """All decisions about copies, newest first."""
    return [*filter(is_about_copies, reversed(store.decisions()))]


def _contents(store: Catalog, wanted: Wanted, caller: Caller) -> dict[Pair, str]:
    """The content to decide of each pair, under the present names of its datasets."""
    found: dict[Pair, str] = {}
    for pairs, wished in (
        (wanted.confirmed, content(confirmed=True)),
        (wanted.refused, content(confirmed=False)),
        (wanted.reopened, ""),
    ):
        for pair in pairs:
            own = Pair(*(resolve_dataset(store, key).key for key in (pair.dataset, pair.original)))
            _require_sense(own, caller)
            if found.setdefault(own, wished) != wished:
                raise BadQuestion(f"{_written(own)} is decided twice, in different ways", "decide it once")
    return found


def _require_sense(pair: Pair, caller: Caller) -> None:
    if pair.dataset == pair.original:
        raise BadQuestion(f"{pair.dataset.name!r} cannot be a copy of itself")
    require_namespaces((pair.dataset.namespace, pair.original.namespace), caller)


def _moment(store: CataloguedRuns, pair: Pair, now: datetime) -> datetime:
    """When the copy was made at the latest: before it was first read, if the original was there by then."""
    known = store.get_datasets([pair.dataset, pair.original])
    copy, original = known[pair.dataset], known[pair.original]
    read = store.runs_with([pair.dataset], Use.INPUT, 1).get(pair.dataset)
    before = copy.first_seen - _BEFORE if copy.first_seen and read else now
    return before if _is_known_by(original, before) else now


def _is_known_by(dataset: Dataset, moment: datetime) -> bool:
    return dataset.first_seen is not None and dataset.first_seen <= moment


def _decisions(
    contents: Mapping[Pair, str], stand: Mapping[str, DecisionMade], steward: Steward
) -> list[DecisionMade]:
    now = micros(steward.now)
    found = []
    for pair, wished in contents.items():
        known = stand.get(pair.subject)
        if wished == "" and (known is None or not known.content):
            raise BadQuestion(
                f"nothing is decided of {_written(pair)}", "`headwater copies history` lists it"
            )
        if known is None or known.content != wished:
            time = time_after(known, now)
            found.append(DecisionMade(pair.subject, time, wished, steward.caller.name, steward.reason))
    return found


def _run_of(
    made: DecisionMade, before: DecisionMade | None, moments: Mapping[Pair, datetime], now: datetime
) -> Batch | None:
    """The records of the run that copied the data, or of its failure where a confirmation is taken back."""
    from headwater_backend.ingest.decoding.decode import decode  # noqa: PLC0415 - questions need no validation of events

    pair = Pair.of_subject(made.subject)
    if is_confirmed(made):
        return decode(_event(pair, "COMPLETE", moments[pair]))
    if before is not None and is_confirmed(before):
        return decode(_event(pair, "FAIL", now))
    return None


def _event(pair: Pair, state: str, moment: datetime) -> dict[str, Any]:
    """An event of the run that copied the original as a whole."""
    job = {
        "namespace": pair.dataset.namespace,
        "name": f"copy of {pair.original.name} to {pair.dataset.name}",
    }
    original, copy = ({"namespace": key.namespace, "name": key.name} for key in (pair.original, pair.dataset))
    moved = {"type": "DIRECT", "subtype": "IDENTITY", "manipulation": ["COPY"]}
    source = {**original, "path": [], "transformations": [moved]}
    facet = {
        "_producer": FACET_PRODUCER,
        "_schemaURL": schema_url(PATH_LINEAGE),
        "fields": [{"path": [], "inputFields": [source]}],
        "complete": True,
    }
    return {
        "eventType": state,
        "eventTime": moment.isoformat(),
        "producer": FACET_PRODUCER,
        "schemaURL": EVENT_SCHEMA,
        "run": {"runId": str(uuid5(NAMESPACE_URL, pair.subject))},
        "job": job,
        "inputs": [original],
        "outputs": [{**copy, "facets": {PATH_LINEAGE: facet}}],
    }


def _note(made: DecisionMade, steward: Steward) -> AuditNote:
    pair = Pair.of_subject(made.subject)
    result = {True: "confirmed", False: "refused", None: "reopened"}[is_confirmed(made)]
    details = {"dataset": " ".join(pair.dataset), "original": " ".join(pair.original), "reason": made.reason}
    return AuditNote(steward.caller.name, ACTION, result, steward.request, details)


def _written(pair: Pair) -> str:
    return f"{' '.join(pair.dataset)!r} as a copy of {' '.join(pair.original)!r}"
