"""Many decisions about names from a YAML file::

    rules:
      - name: loopback
        kind: exact
        namespaces: [postgres://127.0.0.1:5432, "postgres://[::1]:5432"]
        to: postgres://localhost:5432
      - {name: brokers, kind: hostList, hosts: [b1.example, b2.example], to: kafka-prod, schema: kafka}
    aliases:
      - name: s3a://lake raw/people
        dataset: s3://lake raw/people

A dataset is its namespace, a blank and its name, or a mapping of ``namespace`` and ``name``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import yaml

from headwater_backend.domain.errors import BadQuestion, HeadwaterError
from headwater_backend.domain.model import DatasetKey
from headwater_backend.names.decisions import Alias
from headwater_backend.names.namespaces import NamespaceRule, RuleKind
from headwater_backend.names.stewardship import Wanted

RULE_FIELDS: Final = {
    "name": "name",
    "kind": "kind",
    "to": "to",
    "namespaces": "namespaces",
    "hosts": "hosts",
    "regex": "regex",
    "matchingGroup": "matching_group",
    "schema": "schema",
}
_LISTS: Final = frozenset({"namespaces", "hosts"})


class NamesFileError(HeadwaterError):
    """A file of names that cannot be used."""

    code = "NAMES_INVALID"


def read_names(file: Path) -> Wanted:
    """The wanted names of a file. Raises ``NamesFileError`` with the place."""
    try:
        document = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:  # a date that does not exist is a ValueError
        raise NamesFileError(f"{file} cannot be read: {error}") from error
    except RecursionError:
        raise NamesFileError(f"{file} is nested too deeply") from None
    try:
        found = _mapping(document, "the file", {"rules", "aliases"})
        rules = tuple(_rule(each, where) for where, each in _entries(found, "rules"))
        aliases = tuple(_alias(each, where) for where, each in _entries(found, "aliases"))
    except BadQuestion as error:
        raise NamesFileError(f"{file}: {error.message}", error.hint) from error
    return Wanted(aliases, rules)


def dataset_named(text: str) -> DatasetKey:
    """The dataset of a text ``NAMESPACE NAME``; raises ``BadQuestion``."""
    namespace, _, name = text.strip().partition(" ")
    if not namespace or not name.strip():
        raise BadQuestion(f"{text!r} is not a full name", "write the namespace, a blank, and the name")
    return DatasetKey(namespace, name.strip())


def _entries(found: Mapping[str, Any], part: str) -> Iterator[tuple[str, Any]]:
    listed = found.get(part) or []
    if not isinstance(listed, list):
        raise BadQuestion(f"{part}: a list is expected")
    yield from ((f"{part}, entry {number}", each) for number, each in enumerate(listed, 1))


def _rule(value: Any, where: str) -> NamespaceRule:
    found = _mapping(value, where, set(RULE_FIELDS))
    kinds = [kind.value for kind in RuleKind]
    if found.get("kind") not in kinds:
        raise BadQuestion(f"{where}: the kind is one of {', '.join(kinds)}, and not {found.get('kind')!r}")
    parts: dict[str, Any] = {
        RULE_FIELDS[name]: _texts(value, f"{where}, {name}")
        if name in _LISTS
        else _text(value, f"{where}, {name}")
        for name, value in found.items()
    }
    return NamespaceRule(**{"name": "", **parts, "kind": RuleKind(found["kind"])})


def _alias(value: Any, where: str) -> Alias:
    found = _mapping(value, where, {"name", "dataset"})
    return Alias(*(_dataset(found.get(part), f"{where}, {part}") for part in ("name", "dataset")))


def _dataset(value: Any, where: str) -> DatasetKey:
    if not isinstance(value, Mapping):
        return dataset_named(_text(value, where))
    found = _mapping(value, where, {"namespace", "name"})
    return DatasetKey(*(_text(found.get(part), f"{where}, {part}") for part in ("namespace", "name")))


def _mapping(value: Any, where: str, fields: set[str]) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise BadQuestion(f"{where}: a mapping with {', '.join(sorted(fields))} is expected")
    for name in value:
        if name not in fields:
            raise BadQuestion(
                f"{where}: unknown field {name!r}", f"the fields are {', '.join(sorted(fields))}"
            )
    return value


def _texts(value: Any, where: str) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise BadQuestion(f"{where}: a list is expected")
    return tuple(_text(each, where) for each in value)


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str) or not value:
        raise BadQuestion(f"{where}: a text is expected")
    return value
