"""Declared lineage of user functions: what a UDF does, as its owner or user declares it.

Code cannot be analysed, so a UDF's result may contain any part of its arguments. A declaration is more precise. It has
one line for each flow, from a path of an argument to a path of the result, in the usual notation of paths
(``name.first``, ``items[].sku``, ``props{}``)::

    mail                     the whole result is computed from the argument ``mail``
    name.last -> surname     the result's member ``surname`` is computed from that member of ``name``
    name => person.name      the same value, unchanged, with all nested values
    day -> ?                 ``day`` only influences the result
    1.city -> town           an argument by its position, counted from 0

An argument without a line does not flow into the result. Declarations come from the decorator
``headwater_spark.lineage`` and from a YAML or JSON file (``spark.headwater.udfs``)::

    udfs:
      - name: score_user            # the name in the plan: the registered or the function's name
        parameters: [mail, name]    # optional: the names of the arguments in the lines below
        reads: [mail, "name.last -> ?"]
        writes: key                 # optional: the path of the result for lines without an arrow
        masking: true               # optional
        by: ana                     # optional: the steward who accepted it as a proposal
        code: "3.12:0f3a…"          # optional: the digest of the code that it is about; it counts for no other
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from headwater_facets.path import Member, PathSyntaxError
from headwater_facets.path import Path as DataPath


class DeclarationError(ValueError):
    """An invalid declaration; ``code`` is stable, ``hint`` describes the valid form."""

    def __init__(self, code: str, text: str, hint: str) -> None:
        super().__init__(f"{text}: {hint}")
        self.code = code
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Flow:
    """One line of a declaration. ``target`` is None for a mere influence; paths are step names."""

    argument: int
    source: tuple[str, ...]
    target: tuple[str, ...] | None
    moves: bool = False


@dataclass(frozen=True, slots=True)
class Declaration:
    """The flows of a user function's arguments into its result.

    ``by`` is the steward who accepted it as a proposal, ``code`` the digest of the only code that it is about.
    """

    name: str
    flows: tuple[Flow, ...]
    masking: bool = False
    parameters: tuple[str, ...] = ()
    by: str = ""
    code: str = ""


Declared: TypeAlias = Callable[[str], "Declaration | None"]
"""Returns the declaration of the function with a name, or None."""


def undeclared(_: str) -> None:
    """Return None: no function is declared."""
    return


def declaration(
    name: str,
    reads: Iterable[str],
    writes: str | None = None,
    *,
    masking: bool = False,
    parameters: Sequence[str] = (),
) -> Declaration:
    """Parse a declaration. Raises ``DeclarationError``."""
    if isinstance(reads, str) or not all(isinstance(line, str) for line in reads):
        raise DeclarationError("UDF_READS", name, "reads must be a list of strings")
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
        raise DeclarationError("UDF_PATH", text, "a path must begin with a name")
    return path.to_wire()


def _position(argument: str, parameters: Sequence[str]) -> int:
    if argument in parameters:
        return list(parameters).index(argument)
    if argument.isdigit():
        return int(argument)
    known = ", ".join(parameters) or "none; use the positions 0, 1, …, or set `parameters`"
    raise DeclarationError("UDF_PARAMETER", argument, f"no such parameter; known: {known}")


def read_declarations(path: Path) -> dict[str, Declaration]:
    """Read the declarations of a YAML or JSON file, by name. Raises ``DeclarationError`` or ``OSError``."""
    import yaml  # noqa: PLC0415 - who only checks a declaration does not wait for it

    try:
        content = yaml.safe_load(path.read_text("utf-8"))
    except (yaml.YAMLError, ValueError, RecursionError) as e:  # such as a date that does not exist
        raise DeclarationError("UDF_FILE", str(path), "the file is not YAML or JSON") from e
    entries = content.get("udfs") if isinstance(content, Mapping) else None
    if not isinstance(entries, list):
        raise DeclarationError("UDF_FILE", str(path), "the file must have a list `udfs`")
    found = map(from_json, entries)
    return {each.name: each for each in found}


_KEYS = {"name", "reads", "writes", "masking", "parameters", "by", "code"}


def from_json(entry: Any) -> Declaration:
    """Parse one entry of such a file. Raises ``DeclarationError``."""
    if not isinstance(entry, Mapping) or not isinstance(entry.get("name"), str):
        raise DeclarationError("UDF_ENTRY", str(entry)[:100], "each entry must have a `name`")
    if unknown := set(entry) - _KEYS:
        raise DeclarationError(
            "UDF_ENTRY", entry["name"], f"unknown {sorted(map(str, unknown))}; known: {sorted(_KEYS)}"
        )
    if not isinstance(entry.get("reads", []), list):
        raise DeclarationError("UDF_READS", entry["name"], "reads must be a list of strings")
    found = declaration(
        entry["name"],
        entry.get("reads", []),
        entry.get("writes"),
        masking=bool(entry.get("masking", False)),
        parameters=[str(p) for p in entry.get("parameters", [])],
    )
    return replace(found, by=str(entry.get("by") or ""), code=str(entry.get("code") or ""))
