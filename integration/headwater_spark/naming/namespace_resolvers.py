"""OpenLineage's dataset namespace resolvers: replace namespaces of datasets as the job's settings specify.

::

    spark.openlineage.dataset.namespaceResolvers.kafka-prod.type    hostList
    spark.openlineage.dataset.namespaceResolvers.kafka-prod.hosts   [b1.example;b2.example]
    spark.openlineage.dataset.namespaceResolvers.kafka-prod.schema  kafka

``hostList`` replaces the first of its ``hosts`` that the namespace contains, regardless of case, by the resolver's
name; ``pattern`` replaces all matches of ``regex`` by that name; ``patternGroup`` replaces them by the group
``matchingGroup`` of the first match. With ``schema``, only namespaces that begin with it and ``://`` are replaced. The
first resolver, by name, that changes a namespace is used. An invalid resolver is ignored with a warning.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final

PREFIX: Final = "spark.openlineage.dataset.namespaceResolvers."

Resolver = Callable[[str], str]
Settings = tuple[tuple[str, str], ...]
_JAVA_GROUP: Final = re.compile(r"\(\?<(?=[A-Za-z])")
"""The beginning of a named group in Java's syntax, which is not a lookbehind."""

log = logging.getLogger(__name__)


def resolve_namespace(namespace: str, conf: Mapping[str, str]) -> str:
    """The namespace after the configured resolvers."""
    for resolver in _resolvers(tuple(sorted(each for each in conf.items() if each[0].startswith(PREFIX)))):
        found = resolver(namespace)
        if found and found != namespace:
            return found
    return namespace


@lru_cache(maxsize=16)
def _resolvers(settings: Settings) -> tuple[Resolver, ...]:
    named: dict[str, dict[str, str]] = {}
    for key, value in settings:
        name, _, part = key.removeprefix(PREFIX).rpartition(".")
        named.setdefault(name, {})[part] = value
    created = (_create(name, parts) for name, parts in named.items())
    return tuple(resolver for resolver in created if resolver)


def _create(name: str, parts: Mapping[str, str]) -> Resolver | None:
    try:
        return _in_schema(parts.get("schema", ""), _KINDS[parts.get("type", "")](name, parts))
    except KeyError as error:
        known = ", ".join(_KINDS)
        log.warning("the namespace resolver %r is ignored: it has no %s (types: %s)", name, error, known)
    except re.error as error:
        log.warning("the namespace resolver %r is ignored: its regex is invalid: %s", name, error)
    return None


def _in_schema(schema: str, resolver: Resolver) -> Resolver:
    if not schema:
        return resolver
    return lambda namespace: resolver(namespace) if namespace.startswith(f"{schema}://") else namespace


def _host_list(name: str, parts: Mapping[str, str]) -> Resolver:
    hosts = [host.strip() for host in re.split("[;,]", parts["hosts"].strip().strip("[]")) if host.strip()]

    def resolve(namespace: str) -> str:
        found = next((host for host in hosts if host.lower() in namespace.lower()), None)
        return (
            re.sub(re.escape(found), lambda _: name, namespace, flags=re.IGNORECASE) if found else namespace
        )

    return resolve


def _pattern(name: str, parts: Mapping[str, str]) -> Resolver:
    regex = _compiled(parts["regex"])
    return lambda namespace: regex.sub(lambda _: name, namespace)


def _pattern_group(_name: str, parts: Mapping[str, str]) -> Resolver:
    regex, group = _compiled(parts["regex"]), parts["matchingGroup"]
    if group not in regex.groupindex:
        raise re.error(f"it has no group {group!r}")

    def resolve(namespace: str) -> str:
        found = regex.search(namespace)
        value = found and found[group]
        return regex.sub(lambda _: value, namespace) if value else namespace

    return resolve


def _compiled(regex: str) -> re.Pattern[str]:
    return re.compile(_JAVA_GROUP.sub("(?P<", regex))


_KINDS: Final[Mapping[str, Callable[[str, Mapping[str, str]], Resolver]]] = {
    "hostList": _host_list,
    "pattern": _pattern,
    "patternGroup": _pattern_group,
}
