"""The user's Python functions in emitted programs: their definitions as they stand, with what these need."""

from __future__ import annotations

import ast
from typing import Any

from headwater_boundary.planning.program import Program
from headwater_boundary.split.errors import CannotSplitError


class Functions:
    """Finds functions by what Spark calls them, and remembers which were used."""

    def __init__(self, program: Program, spark: Any) -> None:
        self._program = program
        self._spark = spark
        self.used: list[str] = []

    def name(self, expression: Any) -> str:
        """The name under which an emitted program calls the function."""
        called = str(expression.name())
        found = {self._global(each.func) for each in self._program.functions if _called(each) == called}
        if len(found) != 1 or None in found:
            raise CannotSplitError("PythonUDF", f"the definition of {called} is not found in the program")
        name = str(found.pop())
        if name not in self.used:
            self._register(name, called)
            self.used.append(name)
        return name

    def _register(self, name: str, called: str) -> None:
        function = next(each for each in self._program.functions if _called(each) == called)
        self._spark.udf.register(name, function._wrapped() if hasattr(function, "_wrapped") else function)

    def _global(self, function: Any) -> str | None:
        for name, value in self._program.names.items():
            if value is function or getattr(value, "func", None) is function:
                return name
        return None

    def definitions(self) -> str:
        """The code of the used functions, and of all that they name in the module."""
        tree = ast.parse(self._program.source())
        defined: dict[str, ast.stmt] = {}
        for node in tree.body:
            for name in _defines(node):
                defined[name] = node
        needed: dict[int, ast.stmt] = {}
        pending = list(self.used)
        while pending:
            found = defined.get(pending.pop())
            if found is not None and id(found) not in needed:
                needed[id(found)] = found
                pending.extend(each.id for each in ast.walk(found) if isinstance(each, ast.Name))
        source = self._program.source()
        parts = [_text(source, node) for node in tree.body if id(node) in needed]
        if any(
            "spark" in {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} for node in needed.values()
        ):
            raise CannotSplitError("PythonUDF", "its definition needs the program's session")
        return "\n\n".join(parts)


def _called(function: Any) -> str:
    return str(function._name)


def _defines(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [each.asname or each.name.split(".")[0] for each in node.names]
    if isinstance(node, ast.Assign):
        return [each.id for each in node.targets if isinstance(each, ast.Name)]
    return []


def _text(source: str, node: ast.stmt) -> str:
    lines = source.splitlines()
    first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])
    return "\n".join(lines[first - 1 : node.end_lineno])
