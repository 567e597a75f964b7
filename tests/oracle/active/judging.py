"""What the files say of the ways that values took, and what the answers keep."""

from __future__ import annotations

import csv
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from pyarrow import orc, parquet

from headwater_backend.domain.errors import UnknownDataset, UnknownPath
from headwater_backend.domain.model import DatasetKey, Direction, NodeKey
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.questions.active.active_lineage import active_lineage
from headwater_backend.questions.closure import LineageGraph
from headwater_backend.questions.lineage import Scope, lineage
from headwater_backend.stores import open_store
from oracle.active.pipelines import Pipeline, sources
from oracle.active.shapes import MOVED
from oracle.companies.executor import Executed

Place = tuple[str, str]
"""A dataset's short name and a column."""
Hop = tuple[Place, Place]
Way = tuple[Place, ...]
MOST_WAYS = 20_000


@dataclass
class Judged:
    """Of a pipeline: hops that were seen and left out, and hops that were seen and are in no passive answer either.

    ``counts``, over all answers: the ways from sources that no value took (``absent``), and those of them with a hop
    that is left out.
    """

    missed: set[tuple[str, Hop]] = field(default_factory=set)
    unlisted: set[tuple[str, Hop]] = field(default_factory=set)
    counts: Counter[str] = field(default_factory=Counter)


def stored(executed: Executed, url: str = "") -> LineageStore:
    """A store with all events of the batch."""
    store = open_store(url or f"sqlite:///{executed.folder / 'lineage.db'}")
    refused = [each for each in ingest(store, executed.events) if not each.stored]
    assert not refused, refused
    return store


def judge(executed: Executed, pipelines: list[Pipeline]) -> dict[int, Judged]:
    """By seed, what the answers about each pipeline miss."""
    with closing(stored(executed)) as store:
        return {each.seed: _Judge(store, each, executed.data).judged() for each in pipelines}


class _Judge:
    def __init__(self, store: LineageStore, pipeline: Pipeline, data: Path) -> None:
        self.store, self.pipeline = store, pipeline
        self.outputs = list(dict.fromkeys(name for job in pipeline.jobs for name in sorted(job.writes)))
        self.came: dict[Place, set[Way]] = defaultdict(set)
        self.went: dict[Place, set[Way]] = defaultdict(set)
        for name in self.outputs:
            for column, way in _ways(data / name, pipeline.formats[name]):
                self.came[name, column].add(way)
                self.went[way[0]].add(way)
        self.keys = _keys(store, [*sources(pipeline.seed), *self.outputs])

    def judged(self) -> Judged:
        found = Judged()
        asked = [((n, c), Direction.BACKWARD) for n in self.outputs for c in MOVED]
        asked += [((n, c), Direction.FORWARD) for n in sources(self.pipeline.seed) for c in MOVED]
        for place, direction in asked:
            self._ask(place, direction, found)
        return found

    def _ask(self, place: Place, direction: Direction, found: Judged) -> None:
        ways = (self.came if direction is Direction.BACKWARD else self.went)[place]
        seen = {hop for way in ways for hop in _hops_of(way)}
        key = self.keys.get(place[0])
        if key is None:
            found.unlisted |= {(f"{direction.name} {place}", hop) for hop in seen}
            return
        node = NodeKey(key, (place[1],))
        try:
            passive = _hops(lineage(self.store, node, direction, Scope()))
            answer = active_lineage(self.store, node, direction, Scope())
        except (UnknownDataset, UnknownPath):
            found.unlisted |= {(f"{direction.name} {place}", hop) for hop in seen}
            return
        kept = _hops(answer)
        title = f"{direction.name} {place}"
        found.unlisted |= {(title, hop) for hop in seen - passive if not self.pipeline.replaced}
        found.missed |= {(title, hop) for hop in (seen & passive) - kept}
        found.counts["undecided"] += len(answer.undecided)
        if direction is Direction.BACKWARD:
            absent = set(_all_ways(passive, place, set(sources(self.pipeline.seed)))) - ways
            found.counts["ways"] += len(ways)
            found.counts["absent"] += len(absent)
            found.counts["excluded"] += sum(not kept.issuperset(_hops_of(way)) for way in absent)


def _hops(graph: LineageGraph) -> set[Hop]:
    found = ((_place(edge.source), _place(edge.target)) for edge in graph.edges)
    return {(one, other) for one, other in found if one[0] != other[0]}


def _hops_of(way: Way) -> list[Hop]:
    return list(pairwise(way))


def _all_ways(hops: set[Hop], end: Place, begins: set[str]) -> Iterator[Way]:
    """The ways from a source to a place."""
    before: dict[Place, list[Place]] = defaultdict(list)
    for one, other in hops:
        before[other].append(one)
    pending: list[Way] = [(end,)]
    for _ in range(MOST_WAYS):
        if not pending:
            return
        way = pending.pop()
        if way[0][0] in begins:
            yield way
        pending += [(each, *way) for each in before[way[0]] if each not in way]


def _place(node: NodeKey) -> Place:
    return _short(node.dataset.name), ".".join(node.path)


def _short(name: str) -> str:
    return name.rpartition("/")[2].rpartition(".")[2]


def _keys(store: LineageStore, names: list[str]) -> Mapping[str, DatasetKey]:
    """The datasets by their short names."""
    return {_short(key.name): key for key in store.dataset_keys() if _short(key.name) in set(names)}


def _ways(place: Path, form: str) -> Iterator[tuple[str, tuple[Place, ...]]]:
    """By column, each way that a token in the dataset took."""
    found = {
        (c, row[f"{c}t"]) for row in _rows(place, form) for c in MOVED if row.get(c) and row.get(f"{c}t")
    }
    for column, way in found:
        nodes = tuple(tuple(each.split(".")) for each in way.split(">"))
        yield column, nodes


def _rows(place: Path, form: str) -> Iterator[Mapping[str, Any]]:
    files = [f for f in sorted(place.rglob("*")) if f.is_file() and not f.name.startswith((".", "_"))]
    for file in files:
        if form == "json":
            yield from map(json.loads, file.read_text("utf-8").splitlines())
        elif form == "csv":
            with file.open(encoding="utf-8", newline="") as lines:
                yield from csv.DictReader(lines)
        else:
            read = orc.read_table if form == "orc" else parquet.ParquetFile
            table = read(file) if form == "orc" else read(file).read()
            yield from table.to_pylist()
