"""Where a path comes from, in plain sentences for business readers, in the words of a language.

The sentences go from the path back to its golden sources: what each job makes of what, the functions of the user's that
were read from code, the rows that are concerned at each source, the ways that no row can take, and what is not known.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from headwater_backend.domain.facet_readers import user_functions
from headwater_backend.domain.model import DatasetKey, Direction, Edge, JobKey, NodeKey
from headwater_backend.ports import RunHistory
from headwater_backend.questions.active.active_lineage import active_lineage
from headwater_backend.questions.active.steps import ActiveGraph
from headwater_backend.questions.closure import Fetch, LineageGraph
from headwater_backend.questions.lineage import Scope
from headwater_backend.reports.languages.catalogue import Language, Words, words
from headwater_backend.reports.lineage_words import how
from headwater_facets.job_titles import title_of
from headwater_facets.kinds import Known


class ExplainedGraph(ActiveGraph, RunHistory, Protocol):
    """The ports of an explanation."""


class Sort(str, Enum):
    """What a sentence is about."""

    STEP = "STEP"
    CODE = "CODE"
    SOURCE = "SOURCE"
    PRUNED = "PRUNED"
    GAP = "GAP"


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, what it is about, and the job that it is about, if it is one."""

    sort: Sort
    text: str
    job: JobKey | None = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """The sentences about a path, and the active lineage that they are about."""

    sentences: tuple[Sentence, ...]
    graph: LineageGraph


def explain(
    store: ExplainedGraph,
    node: NodeKey,
    scope: Scope,
    language: Language = Language.EN,
    *,
    where: str | None = None,
) -> Explanation:
    """Where the values of a path come from. Raises what ``active_lineage`` raises."""
    graph = active_lineage(store, node, Direction.BACKWARD, scope, where=where)
    return Explanation(tuple(_Speaker(store, graph, words(language)).sentences()), graph)


class _Speaker:
    """Says what a graph has in one language."""

    def __init__(self, store: ExplainedGraph, graph: LineageGraph, catalogue: Words) -> None:
        self._store = store
        self._graph = graph
        self._words = catalogue
        self._labels = {each.key: each.label for each in graph.nodes}
        self._distance = {each.key: each.distance for each in graph.nodes}

    def sentences(self) -> Iterator[Sentence]:
        edges = list(self._graph.edges)
        if not edges:
            start = min(self._graph.nodes, key=lambda each: each.distance)
            yield Sentence(Sort.STEP, self._words("explanation.nothing", path=self._place(start.key)))
        yield from self._steps(edges)
        yield from self._code(sorted({edge.job for edge in edges}))
        for fetch in self._graph.fetches:
            yield from self._source(fetch)
        for each in self._graph.pruned:
            for why in each.because:
                source = self._at(each.edge.source.dataset, each.source)
                detail = self._words.detail(why)
                text = self._words("explanation.pruned", path=source, detail=detail)
                yield Sentence(Sort.PRUNED, text, each.edge.job)
        for gap in self._graph.incomplete:
            reason = self._words.of("reasons", gap.reason)
            detail = self._words.detail(gap.detail)
            dataset = gap.dataset.name
            text = self._words("explanation.gap", dataset=dataset, reason=reason, detail=detail)
            yield Sentence(Sort.GAP, text, gap.job)

    def _steps(self, edges: Sequence[Edge]) -> Iterator[Sentence]:
        """What each job makes each path of, those next to the start first."""
        steps: dict[tuple[NodeKey, JobKey], list[Edge]] = defaultdict(list)
        for edge in edges:
            steps[edge.target, edge.job].append(edge)
        for target, job in sorted(steps, key=lambda each: (self._distance.get(each[0], 0), *each)):
            parts = [
                f"{self._place(edge.source)} ({how(self._words, edge)})"
                for edge in sorted(steps[target, job])
            ]
            text = self._words(
                "explanation.step",
                job=title_of(job.name),
                path=self._place(target),
                parts=self._listed(parts),
            )
            yield Sentence(Sort.STEP, text, job)

    def _code(self, jobs: Sequence[JobKey]) -> Iterator[Sentence]:
        """The functions of the user's in the jobs, and where their code stands that was read."""
        known = self._store.get_jobs(jobs)
        for job in jobs:
            for each in user_functions(known[job].facets) if job in known else ():
                if each.declaredBy and each.known == Known.DECLARED:
                    text = self._words(
                        "explanation.declared", job=title_of(job.name), name=each.name, by=each.declaredBy
                    )
                    yield Sentence(Sort.CODE, text, job)
                if each.code is not None and each.known == Known.ANALYSED:
                    text = self._words(
                        "explanation.code",
                        job=title_of(job.name),
                        name=each.name,
                        file=each.code.file,
                        line=each.code.line,
                    )
                    yield Sentence(Sort.CODE, text, job)

    def _source(self, fetch: Fetch) -> Iterator[Sentence]:
        """Which rows of a golden source are concerned, and the query that fetches these."""
        place = self._at(fetch.node.dataset, fetch.label)
        if fetch.condition is None:
            yield Sentence(Sort.SOURCE, self._words("explanation.source", path=place))
            return
        text = self._words("explanation.some_rows", path=place, condition=fetch.condition)
        yield Sentence(Sort.SOURCE, text)
        if fetch.query is not None:
            text = self._words("explanation.fetched", dataset=fetch.node.dataset.name, query=fetch.query)
            yield Sentence(Sort.SOURCE, text)

    def _listed(self, parts: Sequence[str]) -> str:
        *before, last = parts
        return self._words("explanation.and", before=", ".join(before), last=last) if before else last

    def _place(self, node: NodeKey) -> str:
        return self._at(node.dataset, self._labels.get(node, ".".join(node.path)))

    def _at(self, dataset: DatasetKey, label: str) -> str:
        return self._words("explanation.place", label=label, dataset=dataset.name)
