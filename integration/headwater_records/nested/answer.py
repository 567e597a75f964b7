"""The answer: the records of each source with their paths, and the steps that are named in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from headwater_records.nested.backtrace import Derivation, backtrace
from headwater_records.nested.steps import Operator, Read, steps_of, title_of
from headwater_records.nested.tree import Found, Tree, text_of

Id = tuple[Any, ...]


@dataclass(slots=True)
class Item:
    """A record of a source, by its id, with what was found of it."""

    source: str
    id: Id
    tree: Tree = field(default_factory=Tree)

    @property
    def paths(self) -> list[Found]:
        """Every path that contributes or decides, in order."""
        return list(self.tree.found())

    @property
    def contributing(self) -> list[str]:
        """Paths that the result was made of."""
        return [str(each) for each in self.paths if each.contributes]

    @property
    def influencing(self) -> list[str]:
        """Paths that were only looked at."""
        return [str(each) for each in self.paths if not each.contributes]


@dataclass(slots=True)
class Answer:
    """All records that were found, by source; ``steps`` are the titles of the steps by number."""

    steps: dict[int, str]
    found: dict[tuple[str, Id], Item] = field(default_factory=dict)
    records: int = 0

    def items(self, source: str | None = None) -> list[Item]:
        """The records of a source, or of all."""
        return [item for item in self.found.values() if source is None or item.source == source]

    def ids(self, source: str | None = None) -> set[Id]:
        """Their ids."""
        return {item.id for item in self.items(source)}

    def lines(self) -> Iterator[str]:
        """The answer as a tree for people."""
        for source in sorted({item.source for item in self.found.values()}):
            yield source
            for item in sorted(self.items(source), key=lambda each: str(each.id)):
                yield f"├── {': '.join(str(part) for part in item.id)}"
                for found in item.paths:
                    yield f"│   ├── {_line(found)}"

    def __str__(self) -> str:
        return "\n".join(self.lines())


def _line(found: Found) -> str:
    role = "contributes" if found.contributes else "influences"
    looked = f", accessed by {_numbers(found.accessed)}" if found.accessed else ""
    moved = f", manipulated by {_numbers(found.manipulated)}" if found.manipulated else ""
    return f"{text_of(found.path) or '(record)'}  {role}{looked}{moved}"


def _numbers(numbers: frozenset[int]) -> str:
    return ", ".join(str(number) for number in sorted(numbers))


def trace_back(
    end: Operator, columns: Sequence[tuple[str, str]], records: Sequence[tuple[Derivation, Tree]]
) -> Answer:
    """What these records of the end were made of; their trees are over names, ``columns`` are names with keys."""
    answer = Answer({step.number: title_of(step) for step in steps_of(end)}, records=len(records))

    def reached(step: Operator, made_of: Derivation, tree: Tree) -> None:
        if isinstance(step, Read):
            _add(answer, step, made_of, tree)

    for made_of, tree in records:
        backtrace(end, made_of, keyed(tree, columns), reached)
    return answer


def keyed(tree: Tree, columns: Sequence[tuple[str, str]]) -> Tree:
    """The tree over the keys of columns, of one over their names."""
    asked = Tree(tree.bound, tree.contributes)
    for name, key in columns:
        if name in tree.children:
            asked.at((key,)).unite(tree.children[name])
    return asked


def united(answers: Sequence[Answer]) -> Answer:
    """One answer of several pipelines; the numbers of the later ones' steps go on after those of the earlier ones."""
    whole = Answer({})
    for answer in answers:
        first = max(whole.steps, default=0)
        whole.steps |= {first + number: title for number, title in answer.steps.items()}
        whole.records += answer.records
        for place, item in answer.found.items():
            for node in item.tree.nodes() if first else ():
                node.accessed = {first + number for number in node.accessed}
                node.manipulated = {first + number for number in node.manipulated}
            whole.found.setdefault(place, Item(item.source, item.id)).tree.unite(item.tree)
    return whole


def _add(answer: Answer, step: Read, made_of: Derivation, tree: Tree) -> None:
    identity = tuple(made_of)
    item = answer.found.setdefault((step.name, identity), Item(step.name, identity))
    names = dict(step.columns)
    item.tree.unite(Tree(tree.bound, tree.contributes, set(tree.accessed), set(tree.manipulated)))
    for key, child in tree.children.items():
        if isinstance(key, str) and not child.empty:
            item.tree.at((names.get(key, key),)).unite(child)
