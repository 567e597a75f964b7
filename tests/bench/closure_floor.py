"""A minimal program that gives the answers of ``bench_closure_large``, for its graph on SQLite alone.

It reads the same rows and names by SQL, one query a level between numbers, composes the same JSON, and answers over the
same HTTP application, byte for byte like GraphQL. It leaves out what makes the answer right elsewhere: containment,
other names, types, versions at other times, gaps, limits, pages, schemas, and GraphQL itself. Names are kept between
questions, as the store keeps them.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import chain, count
from typing import Any, NamedTuple

from fastapi import FastAPI, Response

from headwater_backend.domain.model import DatasetKey, JobKey, NodeKey, PathSteps
from headwater_backend.domain.node_keys import dataset_part, job_of, node_of, node_text

ROUTE = "/floor"
LEVEL = """
SELECT e.target, e.way, e.version, json_group_array(e.source)
FROM edge e WHERE e.target IN (SELECT value FROM json_each(?)) AND e.current = 1 AND e.direct = 1
GROUP BY e.target, e.current, e.direct, e.indirect, e.way, e.version
"""
NAMES = "SELECT p.id, p.key FROM json_each(?) f CROSS JOIN path p ON p.id = f.value"
JOBS = "SELECT v.id, v.slot FROM json_each(?) f CROSS JOIN version v ON v.id = f.value"
_TAIL = '"complete":true,"incomplete":[]}}}'


class _Rows(NamedTuple):
    """What a search found: distances and names of nodes by number; edges, each row with several sources."""

    distance: Mapping[int, int]
    names: Mapping[int, NodeKey]
    edges: list[tuple[int, int, int, list[int]]]


class Floor:
    """Answers to backward questions of DIRECT edges out of that file."""

    def __init__(self, file: str) -> None:
        self._db = sqlite3.connect(file, check_same_thread=False)
        self._names: dict[int, NodeKey] = {}
        self._ways = {
            way: _way_text(text) for way, text in self._db.execute("SELECT id, transformations FROM way")
        }

    def answer(self, start: NodeKey, *, edges: bool) -> bytes:
        found = self._search(start)
        by_name = sorted(found.distance, key=found.names.__getitem__)
        nodes = sorted(by_name, key=found.distance.__getitem__)
        parts = [f'{{"data":{{"backwardLineage":{{"nodes":[{",".join(_node_texts(found, nodes))}]']
        if edges:
            parts.append(f'"edges":[{",".join(self._edge_texts(found, by_name, nodes))}]')
        return ",".join([*parts, _TAIL]).encode()

    def _search(self, start: NodeKey) -> _Rows:
        ((first,),) = self._db.execute("SELECT id FROM path WHERE key = ?", (node_text(start),))
        distance, frontier, edges = {first: 0}, [first], []
        for level in count(1):
            rows = self._db.execute(LEVEL, (json.dumps(frontier),)).fetchall()
            fars = json.loads(f"[{','.join([row[3] for row in rows])}]")
            edges += [(*row[:3], far) for row, far in zip(rows, fars, strict=True)]
            frontier = list({*chain.from_iterable(fars)}.difference(distance))
            if not frontier:
                break
            distance.update(dict.fromkeys(frontier, level))
        unknown = json.dumps(list(distance.keys() - self._names.keys()))
        self._names.update((number, node_of(key)) for number, key in self._db.execute(NAMES, (unknown,)))
        return _Rows(distance, self._names, edges)

    def _edge_texts(self, found: _Rows, by_name: list[int], nodes: list[int]) -> Iterable[str]:
        versions = json.dumps(list({version for _, _, version, _ in found.edges}))
        jobs = {version: job_of(dataset_part(slot)) for version, slot in self._db.execute(JOBS, (versions,))}
        rank = {number: place for place, number in enumerate(by_name)}
        place_of = {number: place for place, number in enumerate(nodes)}
        begins = [f'{{"source":{place_of[number]},"target":' for number in by_name]
        ends: list[str] = []
        of_source: dict[int, list[int]] = defaultdict(list)
        for target, way, version, sources in sorted(
            found.edges, key=lambda row: (rank[row[0]], jobs[row[2]])
        ):
            for source in sources:
                of_source[source].append(len(ends))
            ends.append(f"{place_of[target]},{self._ways[way]},{_job_text(jobs[version])}")
        return [
            begin + ends[end]
            for begin, source in zip(begins, by_name, strict=True)
            for end in of_source[source]
        ]


def _node_texts(found: _Rows, nodes: list[int]) -> Iterable[str]:
    datasets: dict[DatasetKey, str] = {}
    paths: dict[PathSteps, str] = {}
    for number in nodes:
        dataset, path = found.names[number]
        if dataset not in datasets:
            datasets[dataset] = f'{{"namespace":{_text(dataset.namespace)},"name":{_text(dataset.name)}'
        if path not in paths:
            paths[path] = f'"path":{_text(path)},"label":{_text(".".join(path))}'
        yield f'{datasets[dataset]},{paths[path]},"distance":{found.distance[number]},"reach":"DIRECT"}}'


def _way_text(text: str) -> str:
    kinds = [
        {"type": kind["type"], "subtype": kind["subtype"], "masking": kind.get("masking", False)}
        for kind in json.loads(text)
    ]
    return f'"transformations":{_text(kinds)}'


@cache
def _job_text(job: JobKey) -> str:
    return f'"job":{_text(job._asdict())}}}'


def _text(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def mount(app: FastAPI, file: str) -> None:
    """Add the route: a POST of a node and of whether edges are wanted."""
    floor = Floor(file)

    @app.post(ROUTE)
    def answer(asked: dict[str, Any]) -> Response:
        node = NodeKey(DatasetKey(asked["namespace"], asked["name"]), tuple(asked["path"]))
        return Response(floor.answer(node, edges=asked["edges"]), media_type="application/json")
