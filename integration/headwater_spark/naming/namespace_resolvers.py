"""Other namespaces for datasets, as the job's settings say: OpenLineage's dataset namespace resolvers.

::

    spark.openlineage.dataset.namespaceResolvers.kafka-prod.type    hostList
    spark.openlineage.dataset.namespaceResolvers.kafka-prod.hosts   [b1.example;b2.example]
    spark.openlineage.dataset.namespaceResolvers.kafka-prod.schema  kafka

``hostList`` puts the resolver's name in the place of the first of its ``hosts`` that the namespace contains, whatever
its case; ``pattern`` in the place of everything that ``regex`` finds; ``patternGroup`` puts there what the group
``matchingGroup`` of the first find holds. With ``schema``, only namespaces that begin with it and ``://`` are looked
at. The first resolver, by name, that changes a namespace counts. One that cannot be used is warned of, and left out.
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
"""How Java begins a group with a name, and not a look behind."""

log = logging.getLogger(__name__)


def resolved(namespace: str, conf: Mapping[str, str]) -> str:
    """The namespace that the settings give it."""
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
    usable = (_usable(name, parts) for name, parts in named.items())
    return tuple(resolver for resolver in usable if resolver)


def _usable(name: str, parts: Mapping[str, str]) -> Resolver | None:
    try:
        return _in_schema(parts.get("schema", ""), _KINDS[parts.get("type", "")](name, parts))
    except KeyError as error:
        known = ", ".join(_KINDS)
        log.warning("the namespace resolver %r has no %s (types: %s): it is left out", name, error, known)
    except re.error as error:
        log.warning("the namespace resolver %r is left out: its regex is none: %s", name, error)
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
