"""Declared lineage of user functions: what a UDF does, said by the one who owns or uses it.

Code cannot be looked into, so a UDF's result may hold anything of its arguments. A declaration says better. Its
notation is one line a flow, from a path of an argument to a path of the result, both written as paths are
everywhere (``name.first``, ``items[].sku``, ``props{}``)::

    mail                     the whole result is computed from the argument ``mail``
    name.last -> surname     the result's member ``surname`` is computed from that member of ``name``
    name => person.name      the same value, unchanged, with all that is below it
    day -> ?                 ``day`` only decides about the result
    1.city -> town           an argument by its position, counted from 0

An argument that no line names does not flow. Declarations come from the decorator ``headwater_spark.lineage`` and
from a YAML or JSON file (``spark.headwater.udfs``)::

    udfs:
      - name: score_user            # as the plan has it: the registered or the function's name
        parameters: [mail, name]    # optional: how the lines below call the arguments
        reads: [mail, "name.last -> ?"]
        writes: key                 # optional: where lines without an arrow go
        masking: true               # optional
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import yaml

from headwater_facets.path import Member, PathSyntaxError
from headwater_facets.path import Path as DataPath


class DeclarationError(ValueError):
    """A declaration out of form; ``code`` is stable, ``hint`` says what would do."""

    def __init__(self, code: str, text: str, hint: str) -> None:
        super().__init__(f"{text}: {hint}")
        self.code = code
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Flow:
    """One line of a declaration. ``target`` is None for what only decides; paths are step names."""

    argument: int
    source: tuple[str, ...]
    target: tuple[str, ...] | None
    moves: bool = False


@dataclass(frozen=True, slots=True)
class Declaration:
    """What a user function does with its arguments."""

    name: str
    flows: tuple[Flow, ...]
    masking: bool = False
    parameters: tuple[str, ...] = ()


Declared: TypeAlias = Callable[[str], "Declaration | None"]
"""The declaration of a function's name, if there is one."""


def undeclared(_: str) -> None:
    """No function is declared."""
    return


def declaration(
    name: str,
    reads: Iterable[str],
    writes: str | None = None,
    *,
    masking: bool = False,
    parameters: Sequence[str] = (),
) -> Declaration:
    """A declaration from its notation; raises ``DeclarationError``."""
    if isinstance(reads, str) or not all(isinstance(line, str) for line in reads):
        raise DeclarationError("UDF_READS", name, "reads is a list of texts")
    whole = writes or ""
    flows = tuple(_flow(line, whole, parameters) for line in reads)
    return Declaration(name, flows, masking, tuple(parameters))


def _flow(line: str, writes: str, parameters: Sequence[str]) -> Flow:
    arrow = "=>" if "=>" in line else "->"
    source, _, target = (part.strip() for part in line.partition(arrow))
    argument, *below = _steps(source)
    if target == "?":
        return Flow(_position(argument, parameters), tuple(below), None)
    place = _steps(target or writes) if target or writes else []
    return Flow(
        _position(argument, parameters), tuple(below), tuple(place), moves=arrow == "=>" and bool(target)
    )


def _steps(text: str) -> list[str]:
    try:
        path = DataPath.parse(text)
    except PathSyntaxError as e:
        raise DeclarationError(e.code, text, e.hint) from e
    if not path.steps or not isinstance(path.steps[0], Member):
        raise DeclarationError("UDF_PATH", text, "a path begins with a name")
    return path.to_wire()


def _position(argument: str, parameters: Sequence[str]) -> int:
    if argument in parameters:
        return list(parameters).index(argument)
    if argument.isdigit():
        return int(argument)
    known = ", ".join(parameters) or "none is known: write 0, 1, …, or give `parameters`"
    raise DeclarationError("UDF_PARAMETER", argument, f"no such parameter; known: {known}")


def read_declarations(path: Path) -> dict[str, Declaration]:
    """The declarations of a YAML or JSON file, by name. Raises ``DeclarationError`` or ``OSError``."""
    try:
        content = yaml.safe_load(path.read_text("utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as e:
        raise DeclarationError("UDF_FILE", str(path), "the file is not YAML or JSON") from e
    entries = content.get("udfs") if isinstance(content, Mapping) else None
    if not isinstance(entries, list):
        raise DeclarationError("UDF_FILE", str(path), "the file has a list `udfs`")
    found = map(from_json, entries)
    return {each.name: each for each in found}


_KEYS = {"name", "reads", "writes", "masking", "parameters"}


def from_json(entry: Any) -> Declaration:
    """A declaration as the file writes it; raises ``DeclarationError``."""
    if not isinstance(entry, Mapping) or not isinstance(entry.get("name"), str):
        raise DeclarationError("UDF_ENTRY", str(entry)[:100], "each entry has a `name`")
    if unknown := set(entry) - _KEYS:
        raise DeclarationError(
            "UDF_ENTRY", entry["name"], f"unknown {sorted(map(str, unknown))}; known: {sorted(_KEYS)}"
        )
    if not isinstance(entry.get("reads", []), list):
        raise DeclarationError("UDF_READS", entry["name"], "reads is a list of texts")
    return declaration(
        entry["name"],
        entry.get("reads", []),
        entry.get("writes"),
        masking=bool(entry.get("masking", False)),
        parameters=[str(p) for p in entry.get("parameters", [])],
    )
