"""Random lineage events with planted truths: leaks, masks, pseudonyms, crossings, aggregates, and gaps.

Each planting has datasets of its own, which nothing else writes, so what holds there is known when it is planted.
Around them, random jobs read all datasets and write others, in each way in which producers report lineage.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final, NamedTuple

from kit.openlineage import NAMESPACE, event, facet

Steps = tuple[str, ...]
Place = tuple[str, Steps]
"""A dataset's name and a path."""

MAIL: Final = "user.contact.email"
AMOUNT: Final = "user.financial"
"""A category that identifies nobody."""
FUNCTIONS: Final = (("blur", "masked"), ("detokenize", "identity"), ("tokenize", "pseudonymised"))
"""A company's own functions."""


def _direct(subtype: str, *manipulation: str, masking: bool = False, **more: Any) -> dict[str, Any]:
    return {
        "type": "DIRECT",
        "subtype": subtype,
        "masking": masking,
        "manipulation": list(manipulation),
        **more,
    }


def _indirect(subtype: str, access: str, **more: Any) -> dict[str, Any]:
    return {"type": "INDIRECT", "subtype": subtype, "masking": False, "access": access, **more}


_COMPUTED = _direct("TRANSFORMATION", "COMPUTE")
OPERATIONS: Final[dict[str, list[dict[str, Any]]]] = {
    "copy": [_direct("IDENTITY", "COPY")],
    "extract": [_direct("IDENTITY", "EXTRACT", "RENAME")],
    "nest": [_direct("AGGREGATION", "NEST")],
    "pick": [_direct("AGGREGATION", "PICK", functions=["max"])],
    "compute": [_COMPUTED],
    "cast": [_direct("TRANSFORMATION", "CAST")],
    "opaque": [_direct("TRANSFORMATION", "OPAQUE", functions=["score_user"])],
    "listed": [_direct("AGGREGATION", "NEST", "COMPUTE")],
    "hash": [_direct("TRANSFORMATION", "MASK", masking=True, functions=["sha2"])],
    "scramble": [_direct("TRANSFORMATION", "MASK", masking=True, functions=["scramble"])],
    "mask": [_direct("TRANSFORMATION", "MASK", masking=True, functions=["mask"], retains="FACT")],
    "bare mask": [_direct("TRANSFORMATION", "MASK", masking=True, functions=["mask"])],
    "short hash": [_direct("TRANSFORMATION", "MASK", masking=True, functions=["xxhash64"])],
    "verbatim mask": [_direct("TRANSFORMATION", "MASK", functions=["mask"], retains="VALUE")],
    "part": [_direct("TRANSFORMATION", "COMPUTE", functions=["left"], retains="PART")],
    "token": [_direct("TRANSFORMATION", "MASK", masking=True, functions=["sha2"], retains="TOKEN")],
    "compare": [_direct("TRANSFORMATION", "COMPUTE", retains="FACT")],
    "top": [_direct("AGGREGATION", "AGGREGATE", functions=["approx_top_k"])],
    "most": [_direct("AGGREGATION", "AGGREGATE", functions=["mode"], retains="VALUE")],
    "running sum": [_direct("AGGREGATION", "AGGREGATE", functions=["sum"], retains="OF_FEW")],
    "statistic": [_direct("AGGREGATION", "AGGREGATE", functions=["avg"], retains="STATISTIC")],
    "blur": [_direct("TRANSFORMATION", "OPAQUE", functions=["Blur"])],
    "tokenize": [_direct("TRANSFORMATION", "OPAQUE", functions=["tokenize"])],
    "detokenize": [_direct("TRANSFORMATION", "OPAQUE", functions=["detokenize"])],
    "decrypt": [_direct("TRANSFORMATION", "COMPUTE", functions=["aes_decrypt"])],
    "size": [_direct("TRANSFORMATION", "COUNT", masking=True)],
    "sum": [_direct("AGGREGATION", "AGGREGATE", functions=["sum"])],
    "count": [_direct("AGGREGATION", "COUNT", masking=True)],
    "sum of hash": [_direct("AGGREGATION", "AGGREGATE", "MASK", masking=True, functions=["sha2", "sum"])],
    "case": [_direct("IDENTITY", "COPY"), _indirect("CONDITIONAL", "CONDITION")],
    "both": [_direct("IDENTITY", "COPY"), _direct("TRANSFORMATION", "MASK", masking=True, functions=["md5"])],
    "condition": [_indirect("CONDITIONAL", "CONDITION")],
    "lookup": [_indirect("CONDITIONAL", "INDEX")],
    "null test": [_indirect("CONDITIONAL", "NULL_TEST")],
    "driver": [_indirect("CONDITIONAL", "DRIVER", manipulation=["OPAQUE"])],
    "unspecified": [],
}
"""What may happen to a value, in the words of ``headwater_pathLineage``."""
MOVES: Final = frozenset({"copy", "extract", "nest", "pick", "case", "both", "unspecified"})
INFLUENCES: Final = {
    "filter": [_indirect("FILTER", "FILTER")],
    "join": [_indirect("JOIN", "JOIN")],
    "group": [_indirect("GROUP_BY", "GROUP_BY")],
    "window": [_indirect("WINDOW", "WINDOW")],
    "sort": [_indirect("SORT", "SORT")],
}
_PLAIN: Final = frozenset(
    {"copy", "compute", "hash", "sum", "count", "case", "both", "condition", "unspecified", *INFLUENCES}
    - {"window"}
)
"""What a producer without ``manipulation`` and ``functions`` can report."""
_OLD: Final = {"copy": "IDENTITY", "compute": "TRANSFORMED", "hash": "MASKED"}


class Step(NamedTuple):
    """One entry of a job's lineage: what of which places becomes the target path; ROOT is the whole output."""

    source: Place
    how: str
    target: Steps


@dataclass(frozen=True, slots=True)
class Holds:
    """The truth that an attribute reaches a path in exactly these forms."""

    attribute: Place
    at: Place
    forms: frozenset[str]


@dataclass(frozen=True, slots=True)
class Planting:
    """Events, and the truths planted in them."""

    events: list[dict[str, Any]]
    holds: list[Holds]
    nowhere: list[Place]
    """Attributes that reach nothing, completely."""
    incomplete: list[Place]
    """Attributes of which something is unknown."""
    reidentified: list[tuple[str, Place]]
    """Datasets that have a pseudonym beside the attribute of which it is made."""
    joined: list[tuple[str, Place]]
    """Datasets that a job made by joining a pseudonym of the attribute with a key table."""


Tree = dict[str, "Tree"]


@dataclass
class _Table:
    name: str
    tree: Tree
    tags: dict[Steps, str] = field(default_factory=dict)


class Planter:
    """Plants truths into a graph, all by the chance of one seed."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.found = Planting([], [], [], [], [], [])
        self._numbers = count()
        self._tables: dict[str, _Table] = {}
        self.aliases: dict[str, str] = {}
        """Other names, by which a dataset is read; whoever writes it reports both."""

    def table(self, kind: str, *paths: str, **tags: str) -> str:
        """A new dataset with those paths, as ``user.mail`` and ``list._element``; tags name path and category."""
        name = f"{kind}_{next(self._numbers)}"
        tree: Tree = {}
        for path in paths:
            below = tree
            for step in path.split("."):
                below = below.setdefault(step, {})
        tagged = {tuple(path.split("__")): category for path, category in tags.items()}
        self._tables[name] = _Table(name, tree, tagged)
        return name

    def job(
        self,
        target: str,
        *steps: Step,
        reads: Iterable[str] = (),
        style: str = "",
        lists_inputs: bool = True,
        **more: Any,
    ) -> None:
        """One run that makes the target; ``more`` goes into its path lineage. Without a style, chance takes one."""
        style = style or self._style(steps)
        steps = tuple(step._replace(source=(self._called(step.source[0]), step.source[1])) for step in steps)
        facets = {} if style == "none" else _STYLES[style](steps)
        if more:
            facets["headwater_pathLineage"].update(more)
        sources = sorted(
            {*(step.source[0] for step in steps), *map(self._called, reads)} if lists_inputs else ()
        )
        # Only schemas in the same event tell whether a standard facet's "user.mail" is a nested path.
        is_plain = style in ("columns", "old", "explicit")
        with_schema = is_plain or self.chance.random() < 0.85
        inputs = [self._dataset(name, with_schema=with_schema) for name in sources]
        outputs = [self._dataset(target, with_schema=with_schema, **facets)]
        number = next(self._numbers)
        run, job = f"run {number}", f"job {number}"
        if not is_plain and self.chance.random() < 0.2:
            self.found.events.append(event("START", number, run, inputs, job=job))
            inputs = []
        self.found.events.append(event("COMPLETE", number, run, inputs, outputs, job))

    def leaves(self, name: str) -> list[Steps]:
        """The deepest paths of a dataset."""
        return [path for path, below in _paths(self._tables[name].tree) if not below]

    def below(self, place: Place) -> Tree:
        """The paths under a place."""
        tree = self._tables[place[0]].tree
        for step in place[1]:
            tree = tree[step]
        return tree

    def tables(self) -> list[str]:
        return list(self._tables)

    def _called(self, name: str) -> str:
        """The name by which a job reads the dataset."""
        return self.chance.choice([name, self.aliases.get(name, name)])

    def _style(self, steps: Sequence[Step]) -> str:
        flat = all(step.how in _PLAIN and _is_column(step) for step in steps)
        ways = ["paths", "paths"]
        if flat:
            ways += ["columns", "explicit"]
        if all(step.how in _OLD and _is_column(step) and step.target for step in steps):
            ways.append("old")
        return self.chance.choice(ways)

    def _dataset(self, name: str, *, with_schema: bool, **facets: Any) -> dict[str, Any]:
        own = next((own for own, alias in self.aliases.items() if alias == name), name)
        table = self._tables[own]
        if name == own in self.aliases:
            other = {"namespace": NAMESPACE, "name": self.aliases[own], "type": "TABLE"}
            facets["symlinks"] = facet(identifiers=[other])
        if with_schema:
            facets["schema"] = facet(fields=_fields(table.tree))
        if table.tags:
            tags = [
                {"key": category, "value": "", "field": ".".join(path)}
                for path, category in table.tags.items()
            ]
            facets["schema"] = facet(fields=_fields(table.tree))
            facets["tags"] = facet(tags=tags)
        return {"namespace": NAMESPACE, "name": name, "facets": facets}


def _is_column(step: Step) -> bool:
    return "_element" not in (*step.source[1], *step.target) and bool(step.source[1])


def _paths(tree: Tree, above: Steps = ()) -> Iterable[tuple[Steps, Tree]]:
    for name, below in tree.items():
        yield (*above, name), below
        yield from _paths(below, (*above, name))


def _fields(tree: Tree) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "type": "struct" if below else "string",
            **({"fields": _fields(below)} if below else {}),
        }
        for name, below in tree.items()
    ]


def _how(step: Step) -> list[dict[str, Any]]:
    return OPERATIONS[step.how] if step.how in OPERATIONS else INFLUENCES[step.how]


def _as_paths(steps: Sequence[Step]) -> dict[str, Any]:
    def entry(step: Step) -> dict[str, Any]:
        name, path = step.source
        return {"namespace": NAMESPACE, "name": name, "path": list(path), "transformations": _how(step)}

    fields = [{"path": list(step.target), "inputFields": [entry(step)]} for step in steps if step.target]
    whole = [entry(step) for step in steps if not step.target]
    opaque = [
        {"path": list(step.target), "reason": "PYTHON_UDF", "name": "score_user"}
        for step in steps
        if step.how == "opaque"
    ]
    made = facet(fields=fields, dataset=whole, opaque=opaque, complete=True, incomplete=[])
    return {"headwater_pathLineage": made}


def _plain(step: Step) -> dict[str, Any]:
    kept = ("type", "subtype", "masking")
    known = [{key: each[key] for key in kept} for each in _how(step)]
    more = {"transformations": known} if known else {}
    return {"namespace": NAMESPACE, "name": step.source[0], "field": ".".join(step.source[1]), **more}


def _plain_fields(steps: Sequence[Step], inputs: str) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for step in steps:
        if step.target:
            fields.setdefault(".".join(step.target), {inputs: []})[inputs].append(_plain(step))
    return fields


def _as_columns(steps: Sequence[Step]) -> dict[str, Any]:
    whole = [_plain(step) for step in steps if not step.target]
    return {"columnLineage": facet(fields=_plain_fields(steps, "inputFields"), dataset=whole)}


def _as_explicit(steps: Sequence[Step]) -> dict[str, Any]:
    whole = [{**_plain(step), "type": "DATASET"} for step in steps if not step.target]
    return {"lineage": facet(fields=_plain_fields(steps, "inputs"), inputs=whole)}


def _as_old(steps: Sequence[Step]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for (name, path), how, target in steps:
        entry = {"namespace": NAMESPACE, "name": name, "field": ".".join(path)}
        # The kind is the field's, so each field has the inputs of one kind only.
        known = fields.setdefault(".".join(target), {"transformationType": _OLD[how], "inputFields": []})
        if known["transformationType"] == _OLD[how]:
            known["inputFields"].append(entry)
    return {"columnLineage": facet(fields=fields)}


_STYLES: Final[dict[str, Callable[[Sequence[Step]], dict[str, Any]]]] = {
    "paths": _as_paths,
    "columns": _as_columns,
    "explicit": _as_explicit,
    "old": _as_old,
}
