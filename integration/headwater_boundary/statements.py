"""The statements of a split as people see them: each on its side, with its reasons, and between them what crosses.

It is read from the answer of the process that split the job (``headwater_boundary.__main__``), as plain data.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from headwater_backend.reports.languages.catalogue import Words
from headwater_facets.facets import SplitColumn, SplitStatement

Placement = Mapping[str, Any]


def label_of(text: Words, placement: Placement) -> str:
    """What it is called in the program, and what it is."""
    operator = text.of("operators", placement["operator"])
    found = placement["source"].rstrip("/").rpartition("/")[2]
    named = " ".join(filter(None, (operator, found)))
    return f"{placement['name']}: {named}" if placement["name"] else named


def statements_of(text: Words, made: Mapping[str, Any]) -> Iterator[SplitStatement]:
    """The statements, each after its inputs. Row sets of one line that are computed on one side are one."""
    crossings = {(each["of"], each["back"]): each for each in made["intermediates"]}
    graph = _Graph({each["number"]: each for each in made["placements"]}, crossings)
    members: dict[str, list[Placement]] = {}
    for each in made["placements"]:
        members.setdefault(_key(each), []).append(each)
    drawn: set[str] = set()
    for key, of in members.items():
        inputs = dict.fromkeys(source for each in of for source in graph.sources(each) if source != key)
        for crossing in [each for each in inputs if each in graph.crossing and each not in drawn]:
            drawn.add(crossing)
            yield _crossing(text, graph, crossing)
        yield _statement(text, key, of, tuple(inputs))


def _statement(
    text: Words, key: str, members: Sequence[Placement], inputs: tuple[str, ...]
) -> SplitStatement:
    last = next((each for each in reversed(members) if each["name"]), members[-1])
    source = next((each["source"] for each in members if each["source"]), "")
    label = last["name"] or label_of(text, last)
    if source and last["name"]:
        label = label_of(text, {**last, "source": source, "operator": "LogicalRelation"})
    return SplitStatement(
        key=key,
        label=label,
        side=last["side"],
        stage=last["stage"],
        line=last["line"],
        why=dict.fromkeys(text.detail(each["why"], "split") for each in members),
        inputs=inputs,
    )


def _crossing(text: Words, graph: _Graph, key: str) -> SplitStatement:
    each = graph.crossing[key]
    return SplitStatement(
        key=key,
        label=each["name"],
        side="boundary",
        stage=each["stage"],
        line=each["line"],
        inputs=graph.made_of(key),
        columns=[
            SplitColumn(column["name"], column["type"], text.detail(column["why"], "split"))
            for column in each["columns"]
        ],
        back=each["back"] or None,
    )


def _key(placement: Placement) -> str:
    return f"{placement['line']} {placement['side']} {placement['stage']} {placement['target']}"


class _Graph:
    """What each row set, and what crosses, is made of."""

    def __init__(
        self,
        placements: Mapping[int, Placement],
        crossings: Mapping[tuple[int, bool], Mapping[str, Any]],
    ) -> None:
        self._placements = placements
        self._of = {key: f"crossing {each['name']}" for key, each in crossings.items()}
        self.crossing = {self._of[key]: each for key, each in crossings.items()}

    def sources(self, placement: Placement) -> Iterator[str]:
        """The keys of others, or of what has crossed the boundary."""
        if placement["target"]:
            yield self._of[placement["number"], False]
            return
        for number in placement["inputs"]:
            yield self._source(self._placements[number], placement["side"])

    def _source(self, source: Placement, side: str) -> str:
        crosses = {source["side"], side} == {"inside", "outside"}
        return self._of[source["number"], side == "inside"] if crosses else _key(source)

    def made_of(self, key: str) -> tuple[str, ...]:
        """The keys of what crosses is made of: of a target, of what it groups."""
        each = self.crossing[key]
        placement = self._placements[each["of"]]
        if each["back"] or not placement["target"]:
            return (_key(placement),)
        inputs = (self._source(self._placements[number], "inside") for number in placement["inputs"])
        return tuple(dict.fromkeys(inputs))
