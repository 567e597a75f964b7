"""Namespace rules: from a namespace to the one that replaces it.

Theory of operation
===================

A rule maps a namespace to another one, or leaves it as it is. Its ``kind`` has the names and the meaning of the
resolvers of the official Spark agent:

``exact``         the namespace is one of ``namespaces``; ``to`` takes its place
``hostList``      a host of the namespace is one of ``hosts``, ignoring case; ``to`` takes its place. A host that is
                  listed with its port matches that port alone, and the port is replaced, too. Brokers that become
                  equal are listed once.
``pattern``       ``regex`` is found in the namespace; ``to`` takes the place of what was found, everywhere. ``$1`` and
                  ``${name}`` in it stand for groups.
``patternGroup``  ``regex`` is found in the namespace; what its group ``matching_group`` holds takes the place

With a ``schema``, the rule applies only to namespaces that begin with it and ``://``.

Of several rules that match, the first one applies: ``exact`` before ``hostList`` before the patterns, and by name among
those. Rules are applied to the result again, until none matches. Rules that form a circle result in its least
namespace, and rules without an end change nothing: both are refused when a rule is added (``disputes``), but may still
occur with a namespace that was unknown then.

Regular expressions are RE2's: they take time in proportion to the text, whatever the expression.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any, Final, NamedTuple

from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.node_keys import dataset_of, named_text
from headwater_backend.domain.patterns import expression

MAX_TEXT: Final = 1_000
MAX_LISTED: Final = 1_000
MAX_STEPS: Final = 32
MAX_NAMESPACE: Final = 4_096
MAX_REMEMBERED: Final = 100_000

_REFERENCE: Final = re.compile(r"\$(?:(\d{1,2})|\{(\w+)\})")


class RuleKind(str, Enum):
    """The way in which a rule matches a namespace."""

    EXACT = "exact"
    HOST_LIST = "hostList"
    PATTERN = "pattern"
    PATTERN_GROUP = "patternGroup"


_ORDER: Final = {RuleKind.EXACT: 0, RuleKind.HOST_LIST: 1, RuleKind.PATTERN: 2, RuleKind.PATTERN_GROUP: 2}


@dataclass(frozen=True)
class NamespaceRule:
    """One rule. Raises ``BadQuestion`` where its parts do not fit its kind."""

    name: str
    kind: RuleKind
    to: str = ""
    namespaces: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    regex: str = ""
    matching_group: str = ""
    schema: str = ""

    def __post_init__(self) -> None:
        for problem in _problems(self):
            raise BadQuestion(f"the rule {self.name!r}: {problem}")

    def applied(self, namespace: str) -> str:
        """The namespace after the rule, unchanged where the rule does not match."""
        if self.schema and not namespace.startswith(f"{self.schema}://"):
            return namespace
        match self.kind:
            case RuleKind.EXACT:
                return self.to if namespace in self._listed else namespace
            case RuleKind.HOST_LIST:
                return self._with_hosts(namespace)
            case RuleKind.PATTERN:
                return str(self._compiled.sub(self._expanded, namespace))
            case RuleKind.PATTERN_GROUP:
                found = self._compiled.search(namespace)
                value = found and found.group(self.matching_group)
                return str(self._compiled.sub(lambda _: value, namespace)) if value else namespace

    @property
    def order(self) -> tuple[int, str]:
        """The sort key of rules by precedence."""
        return _ORDER[self.kind], self.name

    @property
    def bounded(self) -> bool:
        """Whether it applies to listed namespaces alone."""
        return self.kind is RuleKind.EXACT

    @cached_property
    def _listed(self) -> frozenset[str]:
        return frozenset(self.namespaces or (host.lower() for host in self.hosts))

    @cached_property
    def _compiled(self) -> Any:
        return expression(self.regex)

    def _expanded(self, found: Any) -> str:
        return _REFERENCE.sub(
            lambda reference: found.group(int(reference[1]) if reference[1] else reference[2]) or "", self.to
        )

    def _with_hosts(self, namespace: str) -> str:
        schema, separator, rest = namespace.rpartition("://")
        authority, slash, path = rest.partition("/")
        hosts = [self._with_host(each) for each in authority.split(",")]
        if hosts == authority.split(","):
            return namespace
        return f"{schema}{separator}{','.join(dict.fromkeys(hosts))}{slash}{path}"

    def _with_host(self, authority: str) -> str:
        if authority.lower() in self._listed:
            return self.to
        host, colon, port = authority.rpartition(":")
        return f"{self.to}:{port}" if colon and host.lower() in self._listed else authority


class Dispute(NamedTuple):
    """A conflict between rules: the namespace, the rules by name, and the problem."""

    namespace: str
    rules: tuple[str, ...]
    problem: str


class Namespaces:
    """All rules, applied together."""

    def __init__(self, rules: Iterable[NamespaceRule] = ()) -> None:
        self.rules = tuple(sorted(rules, key=lambda rule: rule.order))
        self._remembered: dict[str, str] = {}

    def __bool__(self) -> bool:
        return bool(self.rules)

    def canonical(self, namespace: str) -> str:
        """The namespace after all rules."""
        known = self._remembered.get(namespace)
        if known is None:
            if len(self._remembered) >= MAX_REMEMBERED:
                self._remembered.clear()
            known = self._remembered[namespace] = self._followed(namespace)
        return known

    def renamed(self, key: str) -> str | None:
        """The dataset's key after all rules, or None where it is unchanged."""
        dataset = dataset_of(key)
        namespace = self.canonical(dataset.namespace)
        return None if namespace == dataset.namespace else named_text(dataset._replace(namespace=namespace))

    def disputes(self, namespaces: Iterable[str]) -> Iterator[Dispute]:
        """The namespaces for which rules form a circle, find no end, or disagree."""
        for namespace in namespaces:
            trail = self._trail(namespace)
            rules = tuple(sorted({rule for rule, _ in trail}))
            if trail and trail[-1][1] in [namespace, *(place for _, place in trail[:-1])]:
                yield Dispute(namespace, rules, "form a circle")
            elif trail and not _ends(trail):
                yield Dispute(namespace, rules, "find no end")
            else:
                yield from self._contradictions(namespace)

    def _contradictions(self, namespace: str) -> Iterator[Dispute]:
        given = {rule.name: rule.applied(namespace) for rule in self.rules}
        ends = {name: self.canonical(place) for name, place in given.items() if place != namespace}
        if len(set(ends.values())) > 1:
            first, *others = ends
            other = next(name for name in others if ends[name] != ends[first])
            problem = f"disagree: {ends[first]!r} by the one, {ends[other]!r} by the other"
            yield Dispute(namespace, (first, other), problem)

    def _followed(self, namespace: str) -> str:
        trail = self._trail(namespace)
        if not trail:
            return namespace
        places = [namespace, *(place for _, place in trail)]
        if places[-1] in places[:-1]:
            return min(places[places.index(places[-1]) : -1])
        return places[-1] if _ends(trail) else namespace

    def _trail(self, namespace: str) -> list[tuple[str, str]]:
        """The rules that apply one after the other, each with its result, until none does or a result occurs again."""
        trail: list[tuple[str, str]] = []
        places = {namespace}
        while len(trail) < MAX_STEPS and len(namespace) <= MAX_NAMESPACE:
            step = self._step(namespace)
            if step is None:
                break
            trail.append(step)
            namespace = step[1]
            if namespace in places:
                break
            places.add(namespace)
        return trail

    def _step(self, namespace: str) -> tuple[str, str] | None:
        for rule in self.rules:
            given = rule.applied(namespace)
            if given and given != namespace:
                return rule.name, given
        return None


def _ends(trail: list[tuple[str, str]]) -> bool:
    return len(trail) < MAX_STEPS and len(trail[-1][1]) <= MAX_NAMESPACE


def _problems(rule: NamespaceRule) -> Iterator[str]:
    texts = (rule.name, rule.to, rule.regex, rule.matching_group, rule.schema, *rule.namespaces, *rule.hosts)
    if not rule.name.strip():
        yield "a name is needed"
    if any(len(text) > MAX_TEXT or "\0" in text for text in texts):
        yield f"a text has more than {MAX_TEXT} characters, or a NUL"
    if len(rule.namespaces) + len(rule.hosts) > MAX_LISTED:
        yield f"more than {MAX_LISTED} entries are listed"
    yield from _problems_of_parts(rule)
    if rule.regex:
        yield from _problems_of_regex(rule)


_PARTS: Final = {
    RuleKind.EXACT: ("to", "namespaces"),
    RuleKind.HOST_LIST: ("to", "hosts"),
    RuleKind.PATTERN: ("to", "regex"),
    RuleKind.PATTERN_GROUP: ("matching_group", "regex"),
}


def _problems_of_parts(rule: NamespaceRule) -> Iterator[str]:
    needed = _PARTS[rule.kind]
    for part in ("to", "namespaces", "hosts", "regex", "matching_group"):
        given = getattr(rule, part)
        written = "matchingGroup" if part == "matching_group" else part
        if part in needed and not (all(given) and given):
            yield f"{rule.kind.value} needs {written}"
        if part not in needed and given:
            yield f"{rule.kind.value} takes no {written}"
    if rule.kind is RuleKind.EXACT and rule.to in rule.namespaces:
        yield f"{rule.to!r} cannot stand for itself"


def _problems_of_regex(rule: NamespaceRule) -> Iterator[str]:
    try:
        compiled = expression(rule.regex)
    except ValueError as error:
        yield f"the regular expression is not valid in RE2: {error}"
        return
    if compiled.search(""):
        yield "the regular expression matches an empty text"
    wanted = [reference[1] or reference[2] for reference in _REFERENCE.finditer(rule.to)]
    if rule.kind is RuleKind.PATTERN_GROUP:
        wanted = [rule.matching_group]
    for group in wanted:
        if group not in compiled.groupindex and not (group.isdigit() and int(group) <= compiled.groups):
            yield f"the regular expression has no group {group!r}"
