"""Decisions about names: a steward's wishes are checked, stored, and returned with their effect.

Wishes that come together are checked together, against the decisions in force and the names in the store, and stored in
one transaction with their notes for the audit log; or none of them is. What is already in force stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Final

from headwater_backend.domain.audit_log import AuditNote
from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.model import DatasetKey, Direction, LineageType, NodeKey, Renamed
from headwater_backend.domain.moments import micros
from headwater_backend.domain.records import Batch, DecisionMade
from headwater_backend.domain.roles import Caller
from headwater_backend.names.checks import NameConflict, require_consistent, require_rights, require_sense
from headwater_backend.names.decisions import (
    Alias,
    Decidable,
    Naming,
    Separation,
    alias_subject,
    is_about_names,
    newest,
    rule_content,
    rule_subject,
    standing,
    subject_of,
    time_after,
)
from headwater_backend.names.namespaces import NamespaceRule
from headwater_backend.ports import LineageStore, NamedEdges, StewardDecisions

ACTION: Final = "names"
"""The action of an entry of the audit log about decisions about names."""
COUNTED: Final = 200
"""The most datasets whose paths and edges are counted; to count those of more takes long."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The wishes of a steward: what to put in force, and what to revoke, aliases and rules by their names."""

    aliases: tuple[Alias, ...] = ()
    rules: tuple[NamespaceRule, ...] = ()
    separations: tuple[Separation, ...] = ()
    dropped_aliases: tuple[DatasetKey, ...] = ()
    dropped_rules: tuple[str, ...] = ()
    dropped_separations: tuple[Separation, ...] = ()


@dataclass(frozen=True, slots=True)
class Steward:
    """The caller who decides, the reason, and the id of the request."""

    caller: Caller
    reason: str
    request: str = ""
    now: datetime = field(default_factory=lambda: datetime.now(timezone.utc))


@dataclass(frozen=True, slots=True)
class Decided:
    """The effect of decisions: the names that became another dataset's, and the content of the datasets concerned.

    ``unknown`` are datasets of aliases without events. ``paths`` and ``edges`` are None where there are too many
    datasets to count them.
    """

    decisions: Sequence[DecisionMade]
    renamed: Sequence[Renamed]
    unknown: Sequence[DatasetKey] = ()
    paths: int | None = None
    edges: int | None = None

    @property
    def datasets(self) -> list[DatasetKey]:
        """The canonical names, before and after, of all datasets concerned."""
        return _concerned(self.renamed)


def decide(store: LineageStore, wanted: Wanted, steward: Steward, *, dry_run: bool = False) -> Decided:
    """Put the wishes in force, and return their effect. Raises ``BadQuestion``, ``NameConflict`` or ``Forbidden``."""
    names = store.names()
    made: list[DecisionMade] = []

    def batch(decisions: Sequence[DecisionMade]) -> Batch:
        before = standing(decisions)
        made[:] = _decisions(wanted, steward, decisions)
        after = standing([*decisions, *made])
        require_sense(steward.reason, made, after)
        require_rights(made, before, steward.caller)
        require_consistent(after, before, {key.namespace for key in names})
        return Batch(decisions=tuple(made), notes=tuple(_note(each, before, steward) for each in made))

    renamed = store.decide(batch, dry_run=dry_run)
    ends = {end for alias in wanted.aliases for end in (alias.name, alias.dataset)}
    ends |= {end for each in wanted.separations for end in (each.one, each.other)}
    return Decided(tuple(made), renamed, sorted(ends - names.keys()), *_counts(store, _concerned(renamed)))


def history(store: StewardDecisions, subject: str | None = None) -> list[DecisionMade]:
    """All decisions about names, or those about one subject, newest first."""
    made = [each for each in store.decisions() if is_about_names(each)]
    return [each for each in reversed(made) if subject in (None, each.subject)]


def stands(store: StewardDecisions) -> Naming:
    """The naming in force."""
    return standing(store.decisions())


def by_rules(store: StewardDecisions, key: DatasetKey) -> DatasetKey:
    """The name of the dataset after namespace rules."""
    return key._replace(namespace=stands(store).namespaces.canonical(key.namespace))


def _decisions(wanted: Wanted, steward: Steward, decisions: Sequence[DecisionMade]) -> list[DecisionMade]:
    """The decisions to make: for the wishes that are not in force yet."""
    known = newest(decisions)
    contents: dict[str, str] = {}
    for subject, content in [
        *((alias.subject, alias.content()) for alias in wanted.aliases),
        *((each.subject, each.content()) for each in wanted.separations),
        *((rule_subject(rule.name), rule_content(rule)) for rule in wanted.rules),
    ]:
        stood = known[subject].content if subject in known else ""
        for other in (contents.get(subject, ""), stood):
            if other not in ("", content):
                raise NameConflict.of(subject, content, other)
        contents[subject] = content
    for subject in [
        *map(alias_subject, wanted.dropped_aliases),
        *map(rule_subject, wanted.dropped_rules),
        *(each.subject for each in wanted.dropped_separations),
    ]:
        if subject in contents or subject not in known or not known[subject].content:
            raise BadQuestion(*_nothing(subject))
        contents[subject] = ""
    now = micros(steward.now)
    return [
        DecisionMade(
            subject, time_after(known.get(subject), now), content, steward.caller.name, steward.reason
        )
        for subject, content in contents.items()
        if subject not in known or known[subject].content != content
    ]


def _nothing(subject: str) -> tuple[str, str]:
    kind, _, _ = subject.partition(" ")
    what = {"alias": "alias", "separation": "separation of"}.get(kind, "namespace rule")
    lists = "headwater namespaces list" if kind == "namespaces" else "headwater alias list"
    return f"no {what} {NameConflict.readable(subject)} exists", f"`{lists}` lists the existing ones"


def _note(made: DecisionMade, before: Naming, steward: Steward) -> AuditNote:
    stood = {decision.subject: thing for thing, decision in before.things()}
    thing = subject_of(made) or stood.get(made.subject)
    details = {**(_details(thing) if thing else {}), "reason": made.reason}
    kind = {Alias: "alias", Separation: "separation"}.get(type(thing), "rule")
    result = f"{kind} {'added' if made.content else 'removed'}"
    return AuditNote(steward.caller.name, ACTION, result, steward.request, details)


def _details(thing: Decidable) -> dict[str, str]:
    match thing:
        case Alias():
            return {"name": " ".join(thing.name), "dataset": " ".join(thing.dataset)}
        case Separation():
            return {"name": " ".join(thing.one), "isNot": " ".join(thing.other)}
        case NamespaceRule():
            return {"rule": thing.name, "is": rule_content(thing)}


def _concerned(renamed: Sequence[Renamed]) -> list[DatasetKey]:
    return sorted({key for each in renamed for key in (each.before, each.after)})


def _counts(store: NamedEdges, datasets: Sequence[DatasetKey]) -> tuple[int | None, int | None]:
    """The paths of the datasets, and the current edges at them."""
    if len(datasets) > COUNTED:
        return None, None
    known = store.get_datasets(datasets)
    own = sorted({dataset.key for dataset in known.values()})
    paths = sum(map(len, store.paths(own).values()))
    frontier = [NodeKey(key, ()) for key in own]
    edges = {
        (edge.source, edge.target, edge.job)
        for direction in Direction
        for edge in store.neighbours(frontier, direction, frozenset(LineageType)).edges(direction)
    }
    return paths, len(edges)
