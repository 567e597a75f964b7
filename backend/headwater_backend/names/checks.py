"""What a decision about names has to be: sensible, allowed, and in accord with those that stand."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import Final

from headwater_backend.domain.errors import BadQuestion, Forbidden
from headwater_backend.domain.model import DatasetKey
from headwater_backend.domain.node_keys import MAX_KEY_BYTES, dataset_of, named_text
from headwater_backend.domain.records import DecisionMade
from headwater_backend.domain.roles import Caller, Role
from headwater_backend.names.decisions import (
    ALIAS,
    RULE,
    SEPARATION,
    Alias,
    Decidable,
    Naming,
    Separation,
    separated,
    subject_of,
)
from headwater_backend.names.namespaces import NamespaceRule

MAX_REASON: Final = 2_000
MAX_RULES: Final = 1_000
MAX_MADE: Final = 10_000


class NameConflict(BadQuestion):
    """A decision that contradicts another one, or that leads round in a circle with others."""

    code = "NAME_CONFLICT"

    @classmethod
    def of(cls, subject: str, content: str, other: str) -> NameConflict:
        """Two contents for one subject."""
        one, two = (cls.readable(subject, each) for each in (other, content))
        return cls(f"{one} stands, and {two} is wanted", "remove the one first")

    @staticmethod
    def readable(subject: str, content: str = "") -> str:
        """The subject, and what is decided of it, for people."""
        said = json.loads(content) if content else {}
        if subject.startswith(ALIAS):
            name = _written(dataset_of(subject.removeprefix(ALIAS)))
            return f"the alias {name!r} of {' '.join(said['dataset'])!r}" if said else repr(name)
        if subject.startswith(SEPARATION):
            each = separated(subject)
            return f"{_written(each.one)!r} and {_written(each.other)!r}"
        name = repr(subject.removeprefix(RULE))
        return f"the namespace rule {name} {content}" if content else name


def require_sense(reason: str, made: Sequence[DecisionMade], after: Naming) -> None:
    """Raise ``BadQuestion`` for what nobody can mean, or what is beyond the limits."""
    if not reason.strip():
        raise BadQuestion("a reason is needed", "say why; it stays in the history")
    if len(reason) > MAX_REASON:
        raise BadQuestion(f"a reason has {MAX_REASON} characters at most, and not {len(reason)}")
    if len(made) > MAX_MADE:
        raise BadQuestion(f"{len(made)} decisions at once", f"send {MAX_MADE} at most")
    if len(after.rules) > MAX_RULES:
        raise BadQuestion(f"there are {MAX_RULES} namespace rules at most", "patterns say more than lists")
    for thing in map(subject_of, made):
        if thing and not isinstance(thing, NamespaceRule):
            _require_names(*_names(thing))


def _names(thing: Alias | Separation) -> tuple[DatasetKey, DatasetKey]:
    return (thing.name, thing.dataset) if isinstance(thing, Alias) else (thing.one, thing.other)


def _require_names(one: DatasetKey, other: DatasetKey) -> None:
    for key in (one, other):
        if not key.namespace or not key.name:
            raise BadQuestion("a dataset has a namespace and a name")
        if len(named_text(key).encode("utf-8", "surrogatepass")) > MAX_KEY_BYTES:
            raise BadQuestion(f"the name {key.name[:40]!r}… is longer than any that is stored")
    if one == other:
        raise BadQuestion(f"{_written(one)!r} is itself already")


def require_rights(made: Iterable[DecisionMade], before: Naming, caller: Caller) -> None:
    """Raise ``Forbidden`` unless all namespaces concerned are the caller's to write.

    What a list of hosts or a pattern fits is not known in advance: such a rule concerns every namespace.
    """
    if Role.ADMIN in caller.roles:
        return
    stood = {decision.subject: thing for thing, decision in before.things()}
    for decision in made:
        thing = subject_of(decision) or stood.get(decision.subject)
        for namespace in _concerned(thing) if thing else ():
            if namespace is None and "*" not in caller.namespaces:
                rule = decision.subject.removeprefix(RULE)
                raise Forbidden(
                    f"the rule {rule!r} may concern every namespace, and not all are yours",
                    "list the namespaces in a rule of the kind exact, or ask an administrator",
                )
            if namespace is not None and not caller.may_write(namespace):
                hint = "both sides have to be yours: `headwater keys new --namespace` grants namespaces"
                raise Forbidden(f"the namespace {namespace!r} is not yours", hint)


def _concerned(thing: Decidable) -> Iterator[str | None]:
    """The namespaces about which it says something; None is any."""
    if not isinstance(thing, NamespaceRule):
        yield from (key.namespace for key in _names(thing))
    elif thing.bounded:
        yield from (*thing.namespaces, thing.to)
    else:
        yield None


def require_consistent(after: Naming, before: Naming, namespaces: Set[str]) -> None:
    """Raise ``NameConflict`` for what contradicts itself after, and did not before."""
    if after.rules.keys() - before.rules.keys():
        looked_at = sorted(namespaces | _named_in(after))
        old = set(before.namespaces.disputes(looked_at))
        for dispute in after.namespaces.disputes(looked_at):
            if dispute not in old:
                rules = " and ".join(map(repr, dispute.rules))
                raise NameConflict(
                    f"of {dispute.namespace!r}, the namespace rules {rules} {dispute.problem}",
                    "change one of them, or remove it",
                )
    known = set(_contradictions(before))
    for problem in _contradictions(after):
        if problem not in known:
            raise NameConflict(problem, "remove one of them first, or turn the new one round")


def _named_in(naming: Naming) -> set[str]:
    found = {name for rule in naming.rules for name in (*rule.namespaces, rule.to) if rule.bounded}
    return found | {end.namespace for alias in naming.aliases for end in (alias.name, alias.dataset)}


def _contradictions(naming: Naming) -> Iterator[str]:
    """Aliases that lead round in a circle, or to different datasets from what rules say is one."""

    def by_rules(key: DatasetKey) -> DatasetKey:
        return key._replace(namespace=naming.namespaces.canonical(key.namespace))

    aliases = sorted(naming.aliases, key=lambda alias: (alias.name, alias.dataset))
    leads: dict[DatasetKey, Alias] = {}
    for alias in aliases:
        name, dataset = by_rules(alias.name), by_rules(alias.dataset)
        if name == dataset:
            if alias.dataset != dataset:
                yield f"{_said(alias)}, and a namespace rule says that both are {_written(dataset)!r}"
            continue
        other = leads.setdefault(name, alias)
        if by_rules(other.dataset) != dataset:
            yield f"{_said(other)}, {_said(alias)}, and namespace rules say that the first of both are one"
    for start in leads:
        trail = [start]
        while (alias_there := leads.get(trail[-1])) and (place := by_rules(alias_there.dataset)) not in trail:
            trail.append(place)
        if alias_there and by_rules(alias_there.dataset) == start:
            yield "round in a circle: " + ", ".join(sorted(_said(leads[place]) for place in trail))


def _said(alias: Alias) -> str:
    return f"{_written(alias.name)!r} is {_written(alias.dataset)!r}"


def _written(key: DatasetKey) -> str:
    return f"{key.namespace} {key.name}"
