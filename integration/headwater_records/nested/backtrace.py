"""From a record of the result to the records and paths of the sources, step by step.

Each step undoes what it copied (the tree of the output becomes one over the input) and adds what it looked at. Of a
group, all members are followed, unless positions are asked below a collected column: then the members at these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater_records.nested.expressions import Column, Expression, access, undo
from headwater_records.nested.steps import (
    Aggregate,
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
from headwater_records.nested.tree import Tree

Derivation = Sequence[Any]
Reached = Callable[[Operator, Derivation, Tree], None]
"""Is called for each record on the way, with the tree that is asked of it."""


def backtrace(step: Operator, made_of: Derivation, tree: Tree, reached: Reached) -> None:
    """Follow one record of ``step`` back; ``tree`` is over the step's columns, by key."""
    reached(step, made_of, tree)
    match step:
        case Read():
            return
        case Same():
            item = _looked(tree, step.accessed, step.number)
            backtrace(step.input, made_of, item, reached)
        case Select():
            backtrace(step.input, made_of, _undone(step.outputs, tree, step.number), reached)
        case Variants():
            item = _undone(step.variants[made_of[1]], tree, step.number)
            backtrace(step.input, made_of[0], item, reached)
        case Flatten():
            backtrace(step.input, made_of[0], _flattened(step, made_of[1], tree), reached)
        case Join():
            _join(step, made_of, tree, reached)
        case Matched():
            _matched(step, made_of, tree, reached)
        case Union():
            branch = made_of[0]
            item = Tree()
            for key, keys in step.columns:
                if not _child(tree, key).empty:
                    item.at((keys[branch],)).unite(_child(tree, key))
            backtrace(step.inputs[branch], made_of[1 + branch], item, reached)
        case Group():
            _group(step, made_of[0], tree, reached)
        case Window():
            _window(step, made_of, tree, reached)


def _child(tree: Tree, key: str) -> Tree:
    """What is asked of a column; a record that is asked as a whole asks for all."""
    return tree.part(key)


def _undone(outputs: Sequence[tuple[str, Expression]], tree: Tree, number: int) -> Tree:
    item = Tree()
    for key, expression in outputs:
        if expression == Column(key):
            if not _child(tree, key).empty:
                item.at((key,)).unite(_child(tree, key))
        else:
            undo(expression, _child(tree, key), item, number)
    return item


def _looked(tree: Tree, accessed: Sequence[Expression], number: int) -> Tree:
    item = Tree()
    item.unite(tree)
    for expression in accessed:
        access(expression, item, number)
    return item


def _flattened(step: Flatten, position: int | None, tree: Tree) -> Tree:
    own = dict(step.elements)
    item = Tree()
    for key, child in tree.children.items():
        if key not in own and key != step.position:
            item.at((key,)).unite(child)
    if tree.bound:
        item.unite(Tree(True, tree.contributes, set(tree.accessed), set(tree.manipulated)))
    if position is None:
        access(step.collection, item, step.number)
        return item
    element = Tree()
    for key, steps in step.elements:
        element.at(steps).unite(_child(tree, key))
    element.bind(contributes=False, accessed=step.number)
    undo(step.collection, element.below(position), item, step.number)
    return item


def _sides(
    tree: Tree, accessed: Sequence[Expression], right: Sequence[str], number: int
) -> tuple[Tree, Tree]:
    """The tree of the left side, and that of the right."""
    whole = _looked(tree, accessed, number)
    sides = (Tree(), Tree())
    for key, child in whole.children.items():
        sides[key in right].at((key,)).unite(child)
    if tree.bound:
        for side in sides:
            side.bind(contributes=tree.contributes)
    return sides


def _join(step: Join, made_of: Derivation, tree: Tree, reached: Reached) -> None:
    trees = _sides(tree, step.accessed, step.right_columns, step.number)
    for of_side, once, side, asked in zip(made_of, step.once, (step.left, step.right), trees, strict=True):
        found = once() if once else of_side
        if found is not None:
            backtrace(side, found, asked, reached)


def _matched(step: Matched, made_of: Derivation, tree: Tree, reached: Reached) -> None:
    asked = _child(tree, step.exists) if step.exists else Tree()
    rest = Tree(tree.bound, tree.contributes, set(tree.accessed), set(tree.manipulated))
    rest.children = {key: child for key, child in tree.children.items() if key != step.exists}
    left, right = _sides(rest, step.accessed, step.right_columns, step.number)
    if asked.whole().contributes:
        for node in (*left.children.values(), *right.children.values()):
            node.contributes = True
    backtrace(step.left, made_of[0], left, reached)
    for member in made_of[1]:
        backtrace(step.right, member, right, reached)


def _group(step: Group, members: Sequence[Any], tree: Tree, reached: Reached) -> None:
    common = Tree()
    asked: list[tuple[int, Tree]] = []
    for key, expression in step.outputs:
        undo(expression, _child(tree, key), common, step.number, asked)
    for expression in step.keys:
        access(expression, common, step.number)
    trees = _by_member(step.aggregates, members, asked, step.number)
    for place in trees or range(len(members)):
        item = Tree()
        item.unite(common)
        item.unite(trees.get(place, Tree()))
        backtrace(step.input, members[place][0], item, reached)


def _by_member(
    aggregates: Sequence[Aggregate], members: Sequence[Any], asked: Sequence[tuple[int, Tree]], number: int
) -> dict[int, Tree]:
    """What the aggregates ask of which members, by place; empty if they ask nothing of any."""
    found: dict[int, Tree] = {}
    for which, tree in asked:
        aggregate = aggregates[which]
        marks = [member[1 + aggregate.mark] if aggregate.mark >= 0 else 1 for member in members]
        for place, wanted in _members(aggregate, marks, tree):
            item = found.setdefault(place, Tree())
            for argument in aggregate.arguments:
                undo(argument, wanted, item, number)
            for condition in aggregate.conditions:
                access(condition, item, number)
    return dict(sorted(found.items()))


def _members(aggregate: Aggregate, marks: Sequence[Any], tree: Tree) -> list[tuple[int, Tree]]:
    """The places of the members that an aggregate's tree asks for, each with what it asks of the argument."""
    if not aggregate.collects or tree.bound or None in tree.children:
        whole = tree.whole()
        if aggregate.collects and not tree.bound:
            whole = tree.children[None]
        places = [place for place, mark in enumerate(marks) if mark] or range(len(marks))
        return [(place, whole) for place in places]
    if aggregate.collects == "list":
        used = [place for place, mark in enumerate(marks) if mark]
        at = {position: [place] for position, place in enumerate(used, 1)}
    else:
        at = {}
        for place, mark in enumerate(marks):
            at.setdefault(int(mark or 0), []).append(place)
    return [
        (place, child)
        for position, child in tree.children.items()
        if isinstance(position, int)
        for place in at.get(position, [])
    ]


def _window(step: Window, made_of: Derivation, tree: Tree, reached: Reached) -> None:
    added = {column.key: column for column in step.columns}
    own = Tree(tree.bound, tree.contributes, set(tree.accessed), set(tree.manipulated))
    frames: dict[int, Tree] = {}
    for column in step.columns:
        asked = _child(tree, column.key).whole() if not _child(tree, column.key).empty else None
        if asked is None:
            continue
        member = frames.setdefault(column.frame, Tree())
        asked.accessed.add(step.number)
        for argument in column.arguments:
            undo(argument, asked, member, step.number)
    for key, child in tree.children.items():
        if key not in added:
            own.at((key,)).unite(child)
    if frames:
        own = _looked(own, step.accessed, step.number)
    backtrace(step.input, made_of[0], own, reached)
    for frame, item in frames.items():
        with_order = _looked(item, step.accessed, step.number)
        for each in made_of[1 + frame]:
            backtrace(step.input, each, with_order, reached)
