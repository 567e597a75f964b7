"""Decisions about names, and the naming that results from them.

A decision (``domain.records.DecisionMade``) is about one *subject*: an alias, by the name that leads to another
dataset, a separation, by the two names that events joined, or a namespace rule, by the rule's name. Its content applies
to the subject from then on; an empty content revokes the subject. Decisions are never changed and never deleted, so
they are their own history, and stores join them like any other records: the newest decision of a subject is in force,
and at the same microsecond the greater one. Decisions about anything else, such as personal data, have subjects of
other kinds, and do not concern names.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.model import DatasetKey
from headwater_backend.domain.node_keys import dataset_of, named_text
from headwater_backend.domain.records import DecisionMade
from headwater_backend.names.namespaces import NamespaceRule, Namespaces, RuleKind
from headwater_facets.canonical_json import canonical

ALIAS: Final = "alias "
SEPARATION: Final = "separation "
RULE: Final = "namespaces "
KINDS: Final = (ALIAS, SEPARATION, RULE)
"""The beginnings of the subjects of decisions about names."""


@dataclass(frozen=True, slots=True)
class Alias:
    """A decision that ``name`` is another name of ``dataset``."""

    name: DatasetKey
    dataset: DatasetKey

    @property
    def subject(self) -> str:
        return alias_subject(self.name)

    def content(self) -> str:
        """The content of a decision for it."""
        return canonical({"dataset": list(self.dataset)})


@dataclass(frozen=True, slots=True, order=True)
class Separation:
    """A decision that events must not join the two names; ``one`` is the lesser name."""

    one: DatasetKey
    other: DatasetKey

    @classmethod
    def of(cls, *names: DatasetKey) -> Separation:
        """The separation of two names, in any order."""
        one, other = sorted(names)
        return cls(one, other)

    @property
    def subject(self) -> str:
        return SEPARATION + named_text(self.one) + named_text(self.other)

    def content(self) -> str:
        """The content of a decision for it."""
        return canonical({"separate": True})


Decidable = Alias | Separation | NamespaceRule
"""The things that a decision puts in force."""


@dataclass(frozen=True, slots=True)
class Naming:
    """The aliases, separations and rules in force, each with the decision for it."""

    aliases: Mapping[Alias, DecisionMade] = field(default_factory=dict)
    separations: Mapping[Separation, DecisionMade] = field(default_factory=dict)
    rules: Mapping[NamespaceRule, DecisionMade] = field(default_factory=dict)
    namespaces: Namespaces = field(default_factory=Namespaces)

    def __bool__(self) -> bool:
        return bool(self.aliases or self.separations or self.rules)

    def things(self) -> Iterator[tuple[Decidable, DecisionMade]]:
        """All aliases, separations and rules, each with the decision for it."""
        yield from self.aliases.items()
        yield from self.separations.items()
        yield from self.rules.items()

    def links(self) -> set[tuple[str, str]]:
        """The aliases as keys of datasets."""
        return {(named_text(alias.name), named_text(alias.dataset)) for alias in self.aliases}

    def separated(self) -> set[tuple[str, str]]:
        """The separations as keys of datasets."""
        return {(named_text(each.one), named_text(each.other)) for each in self.separations}


def is_about_names(made: DecisionMade) -> bool:
    """Whether the decision is about names of datasets."""
    return made.subject.startswith(KINDS)


def alias_subject(name: DatasetKey) -> str:
    """The subject of a decision about an alias of that name."""
    return ALIAS + named_text(name)


def separated(subject: str) -> Separation:
    """The separation that a decision with that subject is about."""
    namespace, name, *other = subject.removeprefix(SEPARATION).split("/")
    return Separation(dataset_of(f"{namespace}/{name}/"), dataset_of("/".join(other)))


def rule_subject(name: str) -> str:
    """The subject of a decision about the rule of that name."""
    return RULE + name


def rule_content(rule: NamespaceRule) -> str:
    """The content of a decision for the rule."""
    parts = {name: value for name, value in asdict(rule).items() if value and name != "name"}
    return canonical({**parts, "kind": rule.kind.value})


def newest(decisions: Iterable[DecisionMade]) -> dict[str, DecisionMade]:
    """The decision in force, by subject."""
    found: dict[str, DecisionMade] = {}
    for decision in decisions:
        known = found.get(decision.subject)
        found[decision.subject] = decision if known is None else max(known, decision, key=_order)
    return found


def time_after(known: DecisionMade | None, now: int) -> int:
    """When a decision is made that replaces the known one: now, and after it in any case."""
    return now if known is None else max(now, known.time + 1)


def standing(decisions: Iterable[DecisionMade]) -> Naming:
    """The naming by the decisions; decisions that cannot be read are skipped."""
    aliases: dict[Alias, DecisionMade] = {}
    separations: dict[Separation, DecisionMade] = {}
    rules: dict[NamespaceRule, DecisionMade] = {}
    for decision in newest(decisions).values():
        match subject_of(decision):
            case Alias() as alias:
                aliases[alias] = decision
            case Separation() as separation:
                separations[separation] = decision
            case NamespaceRule() as rule:
                rules[rule] = decision
            case None:
                pass
    return Naming(aliases, separations, rules, Namespaces(rules))


def subject_of(decision: DecisionMade) -> Decidable | None:
    """The thing that the decision puts in force; None where it revokes one, or cannot be read."""
    try:
        content = json.loads(decision.content) if decision.content else None
        return _read(decision.subject, content) if isinstance(content, dict) else None
    except (BadQuestion, ValueError, TypeError):
        return None


def _read(subject: str, content: dict[str, Any]) -> Decidable | None:
    if subject.startswith(ALIAS):
        namespace, name = content["dataset"]
        return Alias(dataset_of(subject.removeprefix(ALIAS)), DatasetKey(str(namespace), str(name)))
    if subject.startswith(SEPARATION):
        return separated(subject)
    if subject.startswith(RULE):
        return rule_of(subject.removeprefix(RULE), content)
    return None


def rule_of(name: str, content: Mapping[str, Any]) -> NamespaceRule:
    """The rule out of its parts by name. Raises ``BadQuestion``, ``TypeError`` or ``ValueError``."""
    parts: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in content.items()
    }
    return NamespaceRule(**{**parts, "name": name, "kind": RuleKind(content["kind"])})


def _order(decision: DecisionMade) -> tuple[int, str, str, str]:
    return decision.time, decision.content, decision.actor, decision.reason
