"""Checks of decisions about names: they have to be sensible, permitted, and consistent with those in force."""

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
    """A decision that contradicts another one, or that forms a circle with others."""

    code = "NAME_CONFLICT"

    @classmethod
    def of(cls, subject: str, content: str, other: str) -> NameConflict:
        """The error for two contents of one subject."""
        one, two = (cls.readable(subject, each) for each in (other, content))
        return cls(f"{one} is in force, and {two} is wanted", "remove the first one before")

    @staticmethod
    def readable(subject: str, content: str = "") -> str:
        """The subject and its content as text for people."""
        known = json.loads(content) if content else {}
        if subject.startswith(ALIAS):
            name = _written(dataset_of(subject.removeprefix(ALIAS)))
            return f"the alias {name!r} of {' '.join(known['dataset'])!r}" if known else repr(name)
        if subject.startswith(SEPARATION):
            each = separated(subject)
            return f"{_written(each.one)!r} and {_written(each.other)!r}"
        name = repr(subject.removeprefix(RULE))
        return f"the namespace rule {name} {content}" if content else name


def require_sense(reason: str, made: Sequence[DecisionMade], after: Naming) -> None:
    """Raise ``BadQuestion`` for decisions without sense, or beyond the limits."""
    require_reason(reason)
    require_few(made)
    if len(after.rules) > MAX_RULES:
        raise BadQuestion(f"more than {MAX_RULES} namespace rules", "use patterns instead of lists")
    for thing in map(subject_of, made):
        if thing and not isinstance(thing, NamespaceRule):
            _require_names(*_names(thing))


def require_reason(reason: str) -> None:
    """Raise ``BadQuestion`` unless there is a reason, of a length that can be kept."""
    if not reason.strip():
        raise BadQuestion("a reason is needed", "it is kept in the history")
    if len(reason) > MAX_REASON:
        raise BadQuestion(f"a reason has {MAX_REASON} characters at most, and not {len(reason)}")


def require_few(made: Sequence[DecisionMade]) -> None:
    """Raise ``BadQuestion`` for too many decisions at once."""
    if len(made) > MAX_MADE:
        raise BadQuestion(f"{len(made)} decisions at once", f"send {MAX_MADE} at most")


def require_namespaces(namespaces: Iterable[str], caller: Caller) -> None:
    """Raise ``Forbidden`` unless the caller may write in all of the namespaces."""
    for namespace in namespaces:
        if not caller.may_write(namespace):
            hint = "`headwater keys new --namespace` grants namespaces"
            raise Forbidden(f"the namespace {namespace!r} is not yours", hint)


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
    """Raise ``Forbidden`` unless the caller may write all namespaces concerned.

    The namespaces that a list of hosts or a pattern matches are not known in advance: such a rule concerns all.
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
    """The namespaces that it concerns; None is any."""
    if not isinstance(thing, NamespaceRule):
        yield from (key.namespace for key in _names(thing))
    elif thing.bounded:
        yield from (*thing.namespaces, thing.to)
    else:
        yield None


def require_consistent(after: Naming, before: Naming, namespaces: Set[str]) -> None:
    """Raise ``NameConflict`` for contradictions after the decisions that did not exist before."""
    if after.rules.keys() - before.rules.keys():
        checked = sorted(namespaces | _named_in(after))
        old = set(before.namespaces.disputes(checked))
        for dispute in after.namespaces.disputes(checked):
            if dispute not in old:
                rules = " and ".join(map(repr, dispute.rules))
                raise NameConflict(
                    f"of {dispute.namespace!r}, the namespace rules {rules} {dispute.problem}",
                    "change one of them, or remove it",
                )
    known = set(_contradictions(before))
    for problem in _contradictions(after):
        if problem not in known:
            raise NameConflict(problem, "remove one of them first, or reverse the new one")


def _named_in(naming: Naming) -> set[str]:
    found = {name for rule in naming.rules for name in (*rule.namespaces, rule.to) if rule.bounded}
    return found | {end.namespace for alias in naming.aliases for end in (alias.name, alias.dataset)}


def _contradictions(naming: Naming) -> Iterator[str]:
    """Descriptions of aliases that form a circle, or lead to different datasets from names that rules join."""

    def by_rules(key: DatasetKey) -> DatasetKey:
        return key._replace(namespace=naming.namespaces.canonical(key.namespace))

    aliases = sorted(naming.aliases, key=lambda alias: (alias.name, alias.dataset))
    leads: dict[DatasetKey, Alias] = {}
    for alias in aliases:
        name, dataset = by_rules(alias.name), by_rules(alias.dataset)
        if name == dataset:
            if alias.dataset != dataset:
                yield f"{_text(alias)}, and by a namespace rule both are {_written(dataset)!r}"
            continue
        other = leads.setdefault(name, alias)
        if by_rules(other.dataset) != dataset:
            yield f"{_text(other)}, {_text(alias)}, and by namespace rules the first names of both are one"
    for start in leads:
        trail = [start]
        while (following := leads.get(trail[-1])) and (place := by_rules(following.dataset)) not in trail:
            trail.append(place)
        if following and by_rules(following.dataset) == start:
            yield "a circle: " + ", ".join(sorted(_text(leads[place]) for place in trail))


def _text(alias: Alias) -> str:
    return f"{_written(alias.name)!r} is {_written(alias.dataset)!r}"


def _written(key: DatasetKey) -> str:
    return f"{key.namespace} {key.name}"
