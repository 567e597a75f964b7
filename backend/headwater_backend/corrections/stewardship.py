"""Stewards list corrections, accept those of a dataset, and take that back.

A decision is about all that was reported of a dataset until then. What is reported later needs another one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from headwater_backend.domain.audit_log import AuditNote
from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.model import Correction, DatasetKey
from headwater_backend.domain.moments import micros
from headwater_backend.domain.node_keys import dataset_of, named_text
from headwater_backend.domain.records import Batch, DecisionMade
from headwater_backend.domain.roles import Caller
from headwater_backend.in_force.corrections import ACCEPTED, SUBJECT
from headwater_backend.names.checks import require_few, require_namespaces, require_reason
from headwater_backend.names.decisions import newest, time_after
from headwater_backend.names.stewardship import Steward
from headwater_backend.ports import Catalog, Corrections, LineageStore, StewardDecisions
from headwater_backend.questions.resolving import resolve_dataset

ACTION: Final = "corrections"
"""The action of an entry of the audit log about decisions about corrections."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The wishes of a steward: datasets whose corrections until now are accepted, and those whose are opened again."""

    accepted: tuple[DatasetKey, ...] = ()
    reopened: tuple[DatasetKey, ...] = ()


def pending(store: Corrections) -> list[Correction]:
    """All corrections that nobody has accepted, by dataset and job."""
    return [*store.corrections()]


def history(store: StewardDecisions) -> list[DecisionMade]:
    """All decisions about corrections, newest first."""
    return [*filter(_is_about_corrections, reversed(store.decisions()))]


def dataset_of_decision(made: DecisionMade) -> DatasetKey:
    """The dataset that the decision is about."""
    return dataset_of(made.subject.removeprefix(SUBJECT))


def is_accepted(made: DecisionMade) -> bool:
    return made.content == ACCEPTED


def decide(
    store: LineageStore, wanted: Wanted, steward: Steward, *, dry_run: bool = False
) -> tuple[DecisionMade, ...]:
    """Put the wishes in force, and return the decisions.

    Raises ``BadQuestion``, ``Forbidden`` or ``UnknownDataset``.
    """
    require_reason(steward.reason)
    contents = _contents(store, wanted, steward.caller)
    made: list[DecisionMade] = []

    def batch(decisions: Sequence[DecisionMade]) -> Batch:
        made[:] = _decisions(contents, newest(filter(_is_about_corrections, decisions)), steward)
        require_few(made)
        return Batch(decisions=tuple(made), notes=tuple(_note(each, steward) for each in made))

    store.decide(batch, dry_run=dry_run)
    return tuple(made)


def _is_about_corrections(made: DecisionMade) -> bool:
    return made.subject.startswith(SUBJECT)


def _contents(store: Catalog, wanted: Wanted, caller: Caller) -> dict[DatasetKey, str]:
    """The content to decide of each dataset, under its present name."""
    found: dict[DatasetKey, str] = {}
    for keys, content in ((wanted.accepted, ACCEPTED), (wanted.reopened, "")):
        for key in keys:
            own = resolve_dataset(store, key).key
            require_namespaces([own.namespace], caller)
            if found.setdefault(own, content) != content:
                raise BadQuestion(f"{own.name!r} is decided twice, in different ways", "decide it once")
    return found


def _decisions(
    contents: Mapping[DatasetKey, str], stand: Mapping[str, DecisionMade], steward: Steward
) -> list[DecisionMade]:
    found: list[DecisionMade] = []
    for key, content in contents.items():
        known = stand.get(SUBJECT + named_text(key))
        if not content and (known is None or not known.content):
            raise BadQuestion(
                f"no correction of {key.name!r} was accepted", "`headwater corrections history` lists them"
            )
        time = time_after(known, micros(steward.now))
        found.append(
            DecisionMade(SUBJECT + named_text(key), time, content, steward.caller.name, steward.reason)
        )
    return found


def _note(made: DecisionMade, steward: Steward) -> AuditNote:
    details = {"dataset": " ".join(dataset_of_decision(made)), "reason": made.reason}
    result = "accepted" if is_accepted(made) else "reopened"
    return AuditNote(steward.caller.name, ACTION, result, steward.request, details)
