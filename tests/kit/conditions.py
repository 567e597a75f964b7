"""Small pipelines for active lineage: steps and edges without a Spark, and an interpreter that follows each value.

A job is a dataset's name with branches; a branch reads rows, filters them and makes columns, all as trees of
``headwater_conditions``. ``seen`` runs jobs over all rows of small domains, and gives the edges that values took.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from headwater_backend.active.passages import Step
from headwater_backend.active.reading import read_populations
from headwater_backend.domain.model import (
    DatasetKey,
    Edge,
    JobKey,
    LineageType,
    NodeKey,
    Transformation,
)

Tree = Mapping[str, Any]
Row = dict[str, tuple[Any, frozenset[tuple[Edge, ...]]]]
"""By column its value, and the ways that values in it have come."""

TYPES = {"region": "string", "code": "string", "other": "string", "num": "integer", "size": "integer"}
MOST_HISTORIES = 4_000
_FLOWS = (Transformation(LineageType.DIRECT),)


def dataset(name: str) -> DatasetKey:
    return DatasetKey("file", f"/{name}")


def node(name: str, column: str) -> NodeKey:
    return NodeKey(dataset(name), (column,))


def column(name: str, row: int = 0) -> Tree:
    return {"row": row, "path": [name], "type": TYPES.get(name, "string")}


def text(value: str | None) -> Tree:
    return {"literal": value, "type": "string"}


def whole(value: int | None) -> Tree:
    return {"literal": value, "type": "integer"}


def op(name: str, *args: Tree, **more: Any) -> Tree:
    return {"op": name, "args": list(args), **more}


@dataclass(frozen=True)
class Branch:
    """A query: the datasets that it reads, one row of each, what they pass, and the columns that it makes."""

    reads: tuple[str, ...]
    passed: tuple[Tree, ...]
    columns: Mapping[str, Tree]


@dataclass(frozen=True)
class Job:
    """What makes a dataset: the rows of all branches."""

    output: str
    branches: tuple[Branch, ...]

    @property
    def key(self) -> JobKey:
        return JobKey("test", f"make_{self.output}")


def step(job: Job) -> Step:
    """The job as the agent would report it."""
    populations = [
        {
            "rows": [
                {"row": n, "datasets": [dataset(read)._asdict()], "kept": True}
                for n, read in enumerate(branch.reads)
            ],
            "conditions": [
                {"operator": 1, "sql": spelled(tree), "expression": tree} for tree in branch.passed
            ],
            "values": [
                {"path": [name], "type": TYPES.get(name, "string"), "expression": tree}
                for name, tree in branch.columns.items()
            ],
        }
        for branch in job.branches
    ]
    return Step(job.key, dataset(job.output), lambda: read_populations(populations, job.output))


def edges(jobs: Sequence[Job]) -> list[Edge]:
    """The passive lineage."""
    found: dict[Edge, None] = {}
    for job in jobs:
        for branch in job.branches:
            for name, tree in branch.columns.items():
                found.update(dict.fromkeys(edge for edge, _ in _flows(job, branch, name, tree)))
    return list(found)


def _flows(job: Job, branch: Branch, name: str, tree: Tree) -> Iterator[tuple[Edge, Tree]]:
    for leaf in value_leaves(tree):
        source = node(branch.reads[leaf["row"]], leaf["path"][0])
        yield Edge(source, node(job.output, name), job.key, _FLOWS), leaf


def value_leaves(tree: Tree) -> Iterator[Tree]:
    """The columns of which values may be in the result; what only decides is left out."""
    if "path" in tree:
        yield tree
    args = list(tree.get("args", ()))
    if tree.get("op") == "case":
        args = [*args[1::2], *(args[-1:] if len(args) % 2 else ())]
    for each in args:
        yield from value_leaves(each)


def spelled(tree: Tree) -> str:
    if "path" in tree:
        return str(tree["path"][0])
    if "op" in tree:
        return f"{tree['op']}({', '.join(map(spelled, tree['args']))})"
    return repr(tree.get("literal"))


def all_rows(domains: Mapping[str, Sequence[Any]], columns: Sequence[str]) -> list[Row]:
    """Each combination of the domains' values, as rows of a source."""
    here: frozenset[tuple[Edge, ...]] = frozenset({()})
    combined = product(*(domains[name] for name in columns))
    return [{name: (v, here) for name, v in zip(columns, values, strict=True)} for values in combined]


def run(jobs: Sequence[Job], tables: dict[str, list[Row]]) -> None:
    """Add what each job makes to the tables; equal rows are joined, with all their ways."""
    for job in jobs:
        merged: dict[tuple[Any, ...], Row] = {}
        for branch in job.branches:
            flows = {name: list(_flows(job, branch, name, tree)) for name, tree in branch.columns.items()}
            for rows in product(*_candidates(branch, tables)):
                values = [{name: cell[0] for name, cell in row.items()} for row in rows]
                if all(value_of(each, values) is True for each in branch.passed):
                    _add(merged, {n: _cell(t, flows[n], rows, values) for n, t in branch.columns.items()})
        tables[job.output] = list(merged.values())


def _candidates(branch: Branch, tables: Mapping[str, list[Row]]) -> Iterator[list[Row]]:
    """The rows of each read that pass what is stated of them alone."""
    for number, read in enumerate(branch.reads):
        own = [each for each in branch.passed if {leaf["row"] for leaf in _leaves(each)} <= {number}]
        yield [row for row in tables[read] if _passes(own, number, row)]


def _passes(conditions: Sequence[Tree], number: int, row: Row) -> bool:
    values: list[dict[str, Any]] = [{}] * number + [{name: cell[0] for name, cell in row.items()}]
    return all(value_of(each, values) is True for each in conditions)


def _leaves(tree: Tree) -> Iterator[Tree]:
    if "path" in tree:
        yield tree
    for each in tree.get("args", ()):
        yield from _leaves(each)


def _add(merged: dict[tuple[Any, ...], Row], row: Row) -> None:
    key = tuple((name, type(value), value) for name, (value, _) in row.items())
    known = merged.setdefault(key, row)
    if known is not row:
        merged[key] = {name: (value, known[name][1] | ways) for name, (value, ways) in row.items()}


def _cell(
    tree: Tree, flows: list[tuple[Edge, Tree]], rows: Sequence[Row], values: Sequence[dict[str, Any]]
) -> tuple[Any, frozenset[tuple[Edge, ...]]]:
    taken = {id(leaf) for leaf in taken_leaves(tree, values)}
    ways = {
        (*way, edge)
        for edge, leaf in flows
        if id(leaf) in taken
        for way in rows[leaf["row"]][leaf["path"][0]][1]
    }
    assert len(ways) <= MOST_HISTORIES
    return value_of(tree, values), frozenset(ways)


def taken_leaves(tree: Tree, values: Sequence[dict[str, Any]]) -> Iterator[Tree]:
    """The columns whose values are in the result for these rows."""
    if "path" in tree:
        yield tree
        return
    args = list(tree.get("args", ()))
    if tree.get("op") == "case":
        for predicate, value in zip(args[::2], args[1::2], strict=False):
            if value_of(predicate, values) is True:
                args = [value]
                break
        else:
            args = args[-1:] if len(args) % 2 else []
    elif tree.get("op") == "coalesce":
        args = next(([each] for each in args if value_of(each, values) is not None), args)
    for each in args:
        yield from taken_leaves(each, values)


def value_of(tree: Tree, rows: Sequence[Mapping[str, Any]]) -> Any:
    """The tree's value, as Spark without ANSI gives it: written apart from the code under test."""
    if "path" in tree:
        return rows[tree["row"]][tree["path"][0]]
    if "op" not in tree:
        return tree.get("literal")
    name, args = tree["op"], tree["args"]
    if name in ("and", "or"):
        found = [value_of(each, rows) for each in args]
        decisive = name == "or"
        return decisive if decisive in found else None if None in found else not decisive
    if name == "case":
        for predicate, value in zip(args[::2], args[1::2], strict=False):
            if value_of(predicate, rows) is True:
                return value_of(value, rows)
        return value_of(args[-1], rows) if len(args) % 2 else None
    given = [value_of(each, rows) for each in args]
    if name == "coalesce":
        return next((each for each in given if each is not None), None)
    if name == "isnull":
        return given[0] is None
    if name == "isnotnull":
        return given[0] is not None
    if name == "<=>":
        return given[0] == given[1]
    if name == "in":
        if given[0] is None:
            return None
        return (
            True
            if given[0] in [g for g in given[1:] if g is not None]
            else None
            if None in given[1:]
            else False
        )
    if name == "between":
        low = None if None in given[:2] else given[0] >= given[1]
        high = None if None in (given[0], given[2]) else given[0] <= given[2]
        return False if False in (low, high) else None if None in (low, high) else True
    if None in given:
        return None
    return _plain(name, given, tree.get("type"))


def _plain(name: str, given: list[Any], type_: str | None) -> Any:
    match name, given:
        case "not", [one]:
            return not one
        case "=", [one, other]:
            return one == other
        case "<", [one, other]:
            return one < other
        case "<=", [one, other]:
            return one <= other
        case ">", [one, other]:
            return one > other
        case ">=", [one, other]:
            return one >= other
        case "like", [one, pattern]:
            return one.startswith(pattern[:-1]) if pattern.endswith("%") else one == pattern
        case "+", [one, other]:
            return (one + other + 2**31) % 2**32 - 2**31
        case "upper", [one]:
            return one.upper()
        case "trim", [one]:
            return one.strip(" ")
        case "cast", [one] if type_ == "integer":
            plain = str(one).strip().lstrip("+-")
            return int(one) if plain.isdigit() else None
        case "cast", [one] if type_ == "string":
            return str(one)
        case _:
            raise AssertionError(name)


def seen(tables: Mapping[str, list[Row]], output: str, name: str) -> set[Edge]:
    """The edges on the ways by which values have come into a column."""
    return {edge for row in tables[output] for way in row[name][1] for edge in way}
