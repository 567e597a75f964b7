"""What is packed in one text in several notations (``headwater_facets.packing``): a path of one may be one of another.

The nodes of a text are asked for together, and those are joined that may be the same, though neither holds the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from headwater_backend.domain.model import PACKED, NodeKey, PathSteps
from headwater_facets.packing import related


def by_text(nodes: Iterable[NodeKey]) -> dict[NodeKey, list[NodeKey]]:
    """The nodes that are packed in a text under names, by all that is packed in that text."""
    found: dict[NodeKey, list[NodeKey]] = {}
    for node in nodes:
        if (text := _packed_with(node)) is not None:
            found.setdefault(text, []).append(node)
    return found


def _packed_with(node: NodeKey) -> NodeKey | None:
    """All that is packed in a text, of what is packed in it under names; None for any other node."""
    dataset, path = node
    if PACKED not in path or path[-1] == PACKED:
        return None
    return NodeKey(dataset, path[: path.index(PACKED) + 1])


def whole_texts(nodes: Sequence[NodeKey], texts: Mapping[NodeKey, Sequence[NodeKey]]) -> Sequence[NodeKey]:
    """The nodes, and all of a text for what is packed in it: it may be named in several notations."""
    if not texts:
        return nodes
    return list(dict.fromkeys(_packed_with(node) or node for node in nodes))


def beside(near: NodeKey, texts: Mapping[NodeKey, Sequence[NodeKey]]) -> list[NodeKey]:
    """The nodes that may be the same as a near end by what their names mean, and neither hold it nor are held by it."""
    text = _packed_with(near) if texts else None
    if text is None or text not in texts:
        return []
    length = len(text.path)
    names = near.path[length:]
    return [
        node
        for node in texts[text]
        if not _starts_alike(node.path, near.path) and related(node.path[length:], names)
    ]


def _starts_alike(one: PathSteps, other: PathSteps) -> bool:
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]
