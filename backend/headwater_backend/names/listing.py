"""Lists of decisions of stewards: aliases, rules, and their history, a page at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from headwater_backend.domain.model import DatasetKey
from headwater_backend.domain.node_keys import dataset_of
from headwater_backend.domain.pages import Page, numbered
from headwater_backend.domain.records import DecisionMade
from headwater_backend.names import stewardship
from headwater_backend.names.decisions import (
    ALIAS,
    RULE,
    SEPARATION,
    Alias,
    Separation,
    separated,
    subject_of,
)
from headwater_backend.names.namespaces import NamespaceRule
from headwater_backend.ports import StewardDecisions

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class DecisionParts:
    """The parts of a decision about an alias, a separation, or a rule. ``text`` is the whole, for people."""

    text: str
    alias: DatasetKey | None = None
    dataset: DatasetKey | None = None
    rule: str | None = None
    separated: tuple[DatasetKey, ...] = ()


def aliases(
    store: StewardDecisions, first: int | None, after: str | None
) -> Page[tuple[str, tuple[Alias, DecisionMade]]]:
    """The aliases in force, by name, each with the decision for it."""
    found = sorted(stewardship.stands(store).aliases.items(), key=lambda each: each[0].name)
    return _paged(found, first, after)


def separations(
    store: StewardDecisions, first: int | None, after: str | None
) -> Page[tuple[str, tuple[Separation, DecisionMade]]]:
    """The separations in force, by name, each with the decision for it."""
    return _paged(sorted(stewardship.stands(store).separations.items()), first, after)


def rules(
    store: StewardDecisions, first: int | None, after: str | None
) -> Page[tuple[str, tuple[NamespaceRule, DecisionMade]]]:
    """The rules in force, in the order of their precedence, each with the decision for it."""
    found = sorted(stewardship.stands(store).rules.items(), key=lambda each: each[0].order)
    return _paged(found, first, after)


def history(store: StewardDecisions, first: int | None, after: str | None) -> Page[tuple[str, DecisionMade]]:
    """All decisions, newest first."""
    return _paged(stewardship.history(store), first, after)


def parts_of(decision: DecisionMade) -> DecisionParts:
    """The parts of the decision."""
    thing = subject_of(decision)
    if isinstance(thing, Alias):
        text = f"{' '.join(thing.name)} is {' '.join(thing.dataset)}"
        return DecisionParts(text, thing.name, thing.dataset)
    if decision.subject.startswith(SEPARATION):
        each = separated(decision.subject)
        relation = "is not" if thing else "may be one again with"
        return DecisionParts(
            f"{' '.join(each.one)} {relation} {' '.join(each.other)}", separated=(each.one, each.other)
        )
    if isinstance(thing, NamespaceRule):
        return DecisionParts(f"{thing.name}: {written(thing)}", rule=thing.name)
    if decision.subject.startswith(ALIAS):
        name = dataset_of(decision.subject.removeprefix(ALIAS))
        return DecisionParts(f"{' '.join(name)} is itself again", name)
    name_of_rule = decision.subject.removeprefix(RULE)
    return DecisionParts(f"{name_of_rule} is no rule any more", rule=name_of_rule)


def written(rule: NamespaceRule) -> str:
    """The rule in one line."""
    what = ", ".join(rule.namespaces or rule.hosts) or f"/{rule.regex}/"
    where = f" in {rule.schema}://…" if rule.schema else ""
    to = rule.to or f"its group {rule.matching_group}"
    return f"{rule.kind.value} {what}{where} → {to}"


def _paged(found: Sequence[T], first: int | None, after: str | None) -> Page[tuple[str, T]]:
    return numbered(found, first, after, "names")
