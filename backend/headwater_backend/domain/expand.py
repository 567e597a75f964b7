"""From compact mappings to leaf paths, by the schemas that the same event carries.

::

    user → author   COPY,      with author{name, id}     becomes   user.name → author.name
                                                                   user.id   → author.id

Only a mapping that moves values and changes none is expanded (``Transformation.carries_structure``): only there is
each path under the target the same relative path under the source. Any other mapping holds for the two
subtrees as wholes, and searches find it by containment. The leaves are the target's, where its schema knows any,
else the source's. A leaf that the source's schema does not have is taken from the nearest ancestor that it has:
a column copied by an agent that sees only columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

from headwater_backend.domain.model import PathSteps

Tree: TypeAlias = dict[str, "Tree"]
ROOT: PathSteps = ()


def tree_of(fields: Any) -> Tree:
    """The names of a ``schema`` facet's fields, nested; fields without a name or of another shape are skipped."""
    tree: Tree = {}
    work: list[tuple[Tree, Any]] = [(tree, fields)]
    while work:
        into, entries = work.pop()
        named = (entry for entry in entries if _is_field(entry)) if isinstance(entries, list) else ()
        work.extend((into.setdefault(entry["name"], {}), entry.get("fields")) for entry in named)
    return tree


def _is_field(entry: Any) -> bool:
    return isinstance(entry, dict) and isinstance(entry.get("name"), str)


def subtree(tree: Tree, path: PathSteps) -> Tree | None:
    """The tree under the path, or None where the schema does not have the path."""
    for step in path:
        found = tree.get(step)
        if found is None:
            return None
        tree = found
    return tree


def all_paths(tree: Tree) -> Iterator[PathSteps]:
    """Every path of the tree, inner ones too."""
    work: list[tuple[PathSteps, Tree]] = [(ROOT, tree)]
    while work:
        at, below = work.pop()
        for name, deeper in below.items():
            yield (*at, name)
            work.append(((*at, name), deeper))


def leaves(tree: Tree) -> list[PathSteps]:
    """The paths with nothing below; the tree itself when it is empty."""
    found: list[PathSteps] = []
    work: list[tuple[PathSteps, Tree]] = [(ROOT, tree)]
    while work:
        at, below = work.pop()
        if below:
            work.extend(((*at, name), deeper) for name, deeper in below.items())
        else:
            found.append(at)
    return found


def leaf_pairs(
    source: PathSteps, target: PathSteps, source_tree: Tree, target_tree: Tree
) -> Iterable[tuple[PathSteps, PathSteps]]:
    """The leaf pairs (source path, target path) of a mapping that carries structure."""
    below_source, below_target = subtree(source_tree, source), subtree(target_tree, target)
    shape = below_target if below_target is not None else below_source
    if not shape:
        return [(source, target)]
    return [((*source, *_known(below_source, leaf)), (*target, *leaf)) for leaf in leaves(shape)]


def _known(tree: Tree | None, leaf: PathSteps) -> PathSteps:
    """The longest beginning of the leaf that the tree has; the whole leaf without a tree."""
    if tree is None:
        return leaf
    for depth, step in enumerate(leaf):
        if step not in tree:
            return leaf[:depth]
        tree = tree[step]
    return leaf


def column_paths(name: str, tree: Tree) -> tuple[PathSteps, ...]:
    """The paths that a field's name in a standard facet may stand for.

    It is a top-level column, unless the schema has no such column but a nested path of the name's parts. Without a
    schema, a name with dots may be either, and stands for both: with one of them, lineage to the other would be lost.
    """
    parts = tuple(name.split("."))
    if len(parts) == 1 or name in tree:
        return ((name,),)
    if not tree:
        return ((name,), parts)
    return (parts,) if subtree(tree, parts) is not None else ((name,),)
