"""Trees of paths over one record: what is asked of it, or was found of it, and which steps looked at it or moved it.

A step of a path is a field (text), an element (its position, from 1) or every element (None). A node that is ``bound``
stands for all that lies below it; the others are only on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

Step = str | int | None
Path = tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """A path of a record: whether its value is needed for the result, or only decided about it, and by which steps."""

    path: Path
    contributes: bool
    accessed: frozenset[int]
    manipulated: frozenset[int]

    def __str__(self) -> str:
        return text_of(self.path)


@dataclass(slots=True)
class Tree:
    """A node with what lies below it."""

    bound: bool = False
    contributes: bool = False
    accessed: set[int] = field(default_factory=set)
    manipulated: set[int] = field(default_factory=set)
    children: dict[Step, Tree] = field(default_factory=dict)

    def at(self, path: Iterable[Step]) -> Tree:
        """The node of a path, which is made where it is missing."""
        node = self
        for step in path:
            node = node.children.setdefault(step, Tree())
        return node

    def bind(self, *, contributes: bool, accessed: int | None = None) -> None:
        """Ask for all of this node; what contributes once contributes."""
        self.bound = True
        self.contributes |= contributes
        if accessed is not None:
            self.accessed.add(accessed)

    def unite(self, other: Tree, moved: int | None = None) -> None:
        """Add all of another tree; ``moved`` is the step that moved it here."""
        self.bound |= other.bound
        self.contributes |= other.contributes
        self.accessed |= other.accessed
        self.manipulated |= other.manipulated
        if moved is not None and other.bound:
            self.manipulated.add(moved)
        for step, child in other.children.items():
            self.children.setdefault(step, Tree()).unite(child, moved)

    def below(self, step: Step) -> Tree:
        """This tree one step deeper."""
        return Tree(children={step: self})

    def whole(self) -> Tree:
        """One node for all of the tree, for a value of which parts cannot be distinguished."""
        here = Tree(bound=True)
        for node in self.nodes():
            here.contributes |= node.contributes
            here.accessed |= node.accessed
            here.manipulated |= node.manipulated
        return here

    def renumbered(self, number: Callable[[int], int]) -> Tree:
        """The same tree with other numbers of steps."""
        children = {step: child.renumbered(number) for step, child in self.children.items()}
        accessed, manipulated = set(map(number, self.accessed)), set(map(number, self.manipulated))
        return Tree(self.bound, self.contributes, accessed, manipulated, children)

    def part(self, step: Step) -> Tree:
        """What is asked of one child: its own tree, and the node itself if that is bound."""
        part = Tree(self.bound, self.contributes, set(self.accessed), set(self.manipulated))
        for asked in dict.fromkeys((step, None) if isinstance(step, int) else (step,)):
            if asked in self.children:
                part.unite(self.children[asked])
        return part

    def nodes(self) -> Iterator[Tree]:
        """This node and all below it."""
        yield self
        for child in self.children.values():
            yield from child.nodes()

    @property
    def empty(self) -> bool:
        """Whether nothing is bound in it."""
        return not any(node.bound for node in self.nodes())

    def found(self, above: Path = ()) -> Iterator[Found]:
        """Every bound path."""
        if self.bound:
            yield Found(above, self.contributes, frozenset(self.accessed), frozenset(self.manipulated))
        for step, child in sorted(self.children.items(), key=lambda each: _order(each[0])):
            yield from child.found((*above, step))


def _order(step: Step) -> tuple[int, str, int]:
    return (0, step, 0) if isinstance(step, str) else (1, "", step or 0)


def text_of(path: Path) -> str:
    """A path as people write it: ``tweets[2].text``, ``tweets[].text``."""
    text = ""
    for step in path:
        text += ("." if text else "") + step if isinstance(step, str) else f"[{'' if step is None else step}]"
    return text


def whole_record() -> Tree:
    """The tree that asks for a record as a whole."""
    return Tree(bound=True, contributes=True)
