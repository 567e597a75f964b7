"""Which paths of its sources a pipeline uses, whatever is in them: those of every record, with open positions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from headwater_records.nested.answer import Answer, trace_back
from headwater_records.nested.steps import (
    Flatten,
    Group,
    Join,
    Matched,
    Operator,
    Read,
    Same,
    Select,
    Union,
    Variants,
    Window,
)
from headwater_records.nested.tree import Tree, whole_record

RECORD = (0, 0)
"""The id that every source's one record has."""
MOST_SHAPES = 1_000
"""Of how many shapes of derivations, by the branches of unions and grouping sets, the paths are taken."""


def paths_used(end: Operator, columns: Sequence[tuple[str, str]]) -> Answer:
    """What all of the result is made of: of each source one record, with every path that contributes or influences."""
    asked = whole_record()
    for name, _ in columns:
        asked.at((name,)).bind(contributes=True)
    answer = trace_back(end, columns, [(made, asked) for made in islice(_shapes(end), MOST_SHAPES)])
    for item in answer.items():
        item.tree = _open(item.tree)
    return answer


def _shapes(step: Operator) -> Iterator[Any]:
    """A derivation of each shape that records of the step may have, with one member in each list."""
    match step:
        case Read():
            yield RECORD
        case Same() | Select():
            yield from _shapes(step.input)
        case Flatten():
            yield from ((made, 1) for made in _shapes(step.input))
        case Variants():
            yield from ((made, n) for made in _shapes(step.input) for n in range(len(step.variants)))
        case Join():
            yield from _pairs(step.left, step.right)
        case Matched():
            yield from ((left, [right]) for left, right in _pairs(step.left, step.right))
        case Union():
            for branch, each in enumerate(step.inputs):
                for made in _shapes(each):
                    yield (branch, *(made if other == branch else None for other in range(len(step.inputs))))
        case Group():
            marks = [1] * (1 + max((each.mark for each in step.aggregates), default=-1))
            yield from (([(made, *marks)],) for made in _shapes(step.input))
        case Window():
            frames = 1 + max((each.frame for each in step.columns), default=-1)
            yield from ((made, *([made] for _ in range(frames))) for made in _shapes(step.input))


def _pairs(left: Operator, right: Operator) -> Iterator[tuple[Any, Any]]:
    """Every shape of each side with one of the other."""
    first = next(_shapes(right))
    yield from ((made, first) for made in _shapes(left))
    one = next(_shapes(left))
    yield from ((one, made) for made in islice(_shapes(right), 1, None))


def _open(tree: Tree) -> Tree:
    """The tree with every element in the place of single ones."""
    found = Tree(tree.bound, tree.contributes, tree.accessed, tree.manipulated)
    for step, child in tree.children.items():
        found.at((step if isinstance(step, str) else None,)).unite(_open(child))
    return found
