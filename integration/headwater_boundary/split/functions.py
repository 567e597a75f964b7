"""The user's Python functions in emitted programs: their definitions as they stand, with what these need."""

from __future__ import annotations

import ast
from typing import Any

from headwater_boundary.planning.program import Program
from headwater_boundary.split.errors import CannotSplitError

ROW_BY_ROW = (100, 101)
"""PySpark's numbers of functions that are given one row at a time, pickled or through Arrow."""


class Functions:
    """Finds functions by what Spark calls them, and remembers which were used."""

    def __init__(self, program: Program, spark: Any) -> None:
        self._program = program
        self._spark = spark
        self.used: list[str] = []
        self.registrations: dict[str, str] = {}

    def name(self, expression: Any) -> str:
        """The name under which an emitted program calls the function."""
        called = str(expression.name())
        found = {
            self._global(each.func)
            for each in self._program.functions
            if _called(each) == called and each.evalType in ROW_BY_ROW
        }
        if len(found) != 1 or None in found:
            raise CannotSplitError("PythonUDF", f"the definition of {called} is not found in the program")
        name = str(found.pop())
        if name not in self.used:
            self._register(name, called)
            self.used.append(name)
        return name

    def _register(self, name: str, called: str) -> None:
        function = next(each for each in self._program.functions if _called(each) == called)
        value = self._program.names[name]
        is_plain = value is function.func
        given = (value, function.returnType) if is_plain else (value,)
        self._spark.udf.register(name, *given)
        of_type = f', "{function.returnType.simpleString()}"' if is_plain else ""
        self.registrations[name] = f'spark.udf.register("{name}", {name}{of_type})'

    def _global(self, function: Any) -> str | None:
        """The module's name of the function for Spark, else of the plain one."""
        names = self._program.names.items()
        wrapped = (name for name, value in names if getattr(value, "func", None) is function)
        plain = (name for name, value in names if value is function)
        return next(wrapped, None) or next(plain, None)

    def definitions(self, code: str) -> str:
        """The functions that the code calls, with all that these name in the module, and what gives them to Spark."""
        called = [name for name in self.used if f"{name}(" in code]
        if not called:
            return ""
        tree = ast.parse(self._program.source())
        needed = _needed(tree, called)
        if any("spark" in {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} for node in needed):
            raise CannotSplitError("PythonUDF", "its definition needs the program's session")
        parts = [_text(self._program.source(), node) for node in needed]
        registrations = [f"    {self.registrations[name]}" for name in called]
        register = [
            "def register(spark: SparkSession) -> None:",
            '    """Give Spark the functions of the program."""',
            *registrations,
        ]
        return "\n\n\n".join(["\n\n".join(parts), "\n".join(register)])


def _needed(tree: ast.Module, called: list[str]) -> list[ast.stmt]:
    """The statements that define these names, and those that these need, in the order of the module."""
    defined = {name: node for node in tree.body for name in _defines(node)}
    needed: set[int] = set()
    pending = list(called)
    while pending:
        found = defined.get(pending.pop())
        if found is not None and id(found) not in needed:
            needed.add(id(found))
            pending.extend(each.id for each in ast.walk(found) if isinstance(each, ast.Name))
    return [node for node in tree.body if id(node) in needed]


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
