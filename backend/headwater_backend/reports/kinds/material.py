"""What all kinds of reports are made of: the exposure asked for, and what follows from it, each computed once.

The *cells* of the matrix are pairs of a dataset and a data category, with the forms in which data of the category are
in the dataset. Data *end* in a dataset if no job brings them on into another one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from headwater_backend.domain.model import (
    DRIVER_NAMESPACE,
    DatasetKey,
    Edge,
    Incomplete,
    NodeKey,
)
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.answers.breach import Breach, breach
from headwater_backend.privacy.answers.crossings import Crossings, crossings_in
from headwater_backend.privacy.answers.exposure_changes import ExposureChanges, exposure_changes
from headwater_backend.privacy.exposure import AttributeExposure, ExposureReport
from headwater_backend.privacy.forms import Form, carrying
from headwater_backend.privacy.organisation.coverage import Coverage
from headwater_backend.privacy.organisation.statements import Recipient, Statement
from headwater_backend.privacy.propagation import Propagation, places
from headwater_backend.questions.resolving import labels
from headwater_backend.reports.document.model import Place, Step
from headwater_backend.reports.kinds.question import Kind, ReportQuestion
from headwater_backend.reports.languages.catalogue import Words
from headwater_backend.reports.lineage_words import how
from headwater_backend.reports.shown_forms import CONTAINED, by_strength, shown_forms

Cells = Mapping[DatasetKey, Mapping[str, tuple[Form, ...]]]
"""For each dataset, the categories in it with their forms, the strongest first; all sorted."""
UNNAMED = "user"
"""The category of an attribute without any: personal data."""
_ROUTES = 6
"""The number of routes among which one that leaves the value readable is looked for."""


@dataclass(frozen=True, slots=True)
class Activity:
    """Datasets with personal data that a statement covers; without a statement, those that none does."""

    statement: Statement | None
    datasets: tuple[DatasetKey, ...]
    categories: tuple[str, ...]


class Material:
    """What a report is made of."""

    def __init__(
        self, store: LineageStore, question: ReportQuestion, report: ExposureReport, words: Words
    ) -> None:
        self.store = store
        self.question = question
        self.report = report
        self.words = words
        self._cell_forms: dict[tuple[DatasetKey, str], tuple[str, ...]] = {}

    @cached_property
    def changes(self) -> ExposureChanges | None:
        """What has changed since the moment of the question; None without one."""
        question = self.question
        if question.since is None:
            return None
        return exposure_changes(self.store, question.scope, question.since, question.ruling, self.report)

    @cached_property
    def incomplete(self) -> tuple[Incomplete, ...]:
        """What is known to be missing, also at the earlier moment, if there is one, and of countries, if asked for."""
        more = self.changes.incomplete_before if self.changes else ()
        if self.question.kind is Kind.TRANSFERS:
            more = self.crossings.gaps
        return tuple(dict.fromkeys((*self.report.incomplete, *more)))

    @cached_property
    def crossings(self) -> Crossings:
        """What crosses from country to country."""
        question = self.question
        return crossings_in(self.store, self.report, question.policies, question.organisation)

    @cached_property
    def breach(self) -> Breach:
        """What the leaked places of the question expose."""
        question = self.question
        return breach(self.store, question.leaked, question.ruling, question.bounds)

    @cached_property
    def propagation(self) -> Propagation | None:
        """That of all attributes; None without any."""
        return self.report.attributes[0].propagation if self.report.attributes else None

    @cached_property
    def cells(self) -> Cells:
        """The cells of the matrix, without what is only influenced."""
        if self.propagation is None:
            return {}
        found = {}
        for dataset in sorted({node.dataset for node in self.propagation.nodes()}):
            held = self._held(self.propagation, dataset)
            if held:
                found[dataset] = held
        return found

    def _held(self, propagation: Propagation, dataset: DatasetKey) -> Mapping[str, tuple[Form, ...]]:
        forms: dict[str, list[Form]] = defaultdict(list)
        held = propagation.held_in(dataset)
        for form in sorted(held.keys() - {Form.INFLUENCED}):
            bits = held[form]
            for category, mask in self._masks.items():
                if bits & mask:
                    forms[category].append(form)
        return {category: tuple(forms[category]) for category in sorted(forms)}

    @cached_property
    def _nodes(self) -> Mapping[DatasetKey, Sequence[NodeKey]]:
        """The paths with personal data by dataset, sorted."""
        found: dict[DatasetKey, list[NodeKey]] = defaultdict(list)
        for node in self.propagation.nodes() if self.propagation else ():
            found[node.dataset].append(node)
        return {dataset: sorted(nodes) for dataset, nodes in found.items()}

    @cached_property
    def _masks(self) -> Mapping[str, int]:
        """The attributes of each category, as the bits of the propagation."""
        masks: dict[str, int] = defaultdict(int)
        for each in self.report.attributes:
            for category in each.attribute.categories or (UNNAMED,):
                masks[category] |= 1 << each.place
        return masks

    @cached_property
    def ends(self) -> tuple[DatasetKey, ...]:
        """The datasets in which personal data end, sorted."""
        if self.propagation is None:
            return ()
        continued = {
            fan.near.dataset
            for fan in self.propagation.fans()
            if any(far.dataset != fan.near.dataset for far in fan.fars)
        }
        return tuple(dataset for dataset in self.cells if dataset not in continued)

    @cached_property
    def stored(self) -> tuple[DatasetKey, ...]:
        """The datasets with personal data, without the memory of programs."""
        return tuple(each for each in self.cells if not each.namespace.startswith(DRIVER_NAMESPACE))

    @cached_property
    def programs(self) -> tuple[DatasetKey, ...]:
        """The programs that collected personal data, as datasets."""
        return tuple(each for each in self.cells if each.namespace.startswith(DRIVER_NAMESPACE))

    @cached_property
    def _onward(self) -> Mapping[DatasetKey, frozenset[DatasetKey]]:
        """The datasets into which a job brings personal data out of each."""
        found: dict[DatasetKey, set[DatasetKey]] = defaultdict(set)
        for fan in self.propagation.fans() if self.propagation else ():
            if carrying(fan.transformations):
                found[fan.near.dataset].update(far.dataset for far in fan.fars if far.dataset in self.cells)
        return {dataset: frozenset(targets) for dataset, targets in found.items()}

    def downstream(self, datasets: Iterable[DatasetKey]) -> tuple[DatasetKey, ...]:
        """The datasets, and all into which their personal data go, sorted."""
        found, left = set(datasets), list(datasets)
        while left:
            new = self._onward.get(left.pop(), frozenset()) - found
            found |= new
            left.extend(new)
        return tuple(sorted(found))

    @cached_property
    def coverage(self) -> Coverage:
        """The organisation's statements by dataset."""
        return Coverage(self.question.organisation, self.propagation)

    @cached_property
    def activities(self) -> tuple[Activity, ...]:
        """Each statement with the datasets that it covers; at the end, those that none covers.

        What programs collected is in no dataset that a statement could be about.
        """
        found: list[Activity] = []
        covered: set[DatasetKey] = set()
        for statement in self.question.organisation.processing:
            datasets = tuple(each for each in self.cells if statement in self.coverage.statements_of(each))
            covered.update(datasets)
            found.append(Activity(statement, datasets, self.categories_in(datasets)))
        rest = tuple(each for each in self.stored if each not in covered)
        return (*found, Activity(None, rest, self.categories_in(rest))) if rest else tuple(found)

    def statements_of(self, dataset: DatasetKey) -> tuple[Statement, ...]:
        """The statements that cover the dataset."""
        return self.coverage.statements_of(dataset)

    def categories_in(self, datasets: Iterable[DatasetKey]) -> tuple[str, ...]:
        """The categories in any of the datasets, sorted."""
        return tuple(sorted({category for each in datasets for category in self.cells.get(each, ())}))

    def cell_forms(self, dataset: DatasetKey, category: str) -> tuple[str, ...]:
        """The keys of the forms in which the category is in the dataset."""
        if (dataset, category) not in self._cell_forms:
            self._cell_forms[dataset, category] = self._found_forms(dataset, category)
        return self._cell_forms[dataset, category]

    def _found_forms(self, dataset: DatasetKey, category: str) -> tuple[str, ...]:
        forms = self.cells[dataset][category]
        if forms[0] is not Form.TRANSFORMED or self.propagation is None:
            return shown_forms(forms, ())
        nodes = self._nodes[dataset]
        routes = (
            self.propagation.witness(place, node)
            for node in nodes
            for place in places(self.propagation.reaching(node) & self._masks[category])
            if self.propagation.arrivals(place, node)[0].form is Form.TRANSFORMED
        )
        shown = (shown_forms_of(forms, route) for route in islice(routes, _ROUTES))
        return next((names for names in shown if names[0] == CONTAINED), shown_forms(forms, ()))

    def shown_forms_in(self, dataset: DatasetKey) -> tuple[str, ...]:
        """The keys of all forms of personal data in the dataset."""
        found = {
            name for category in self.cells.get(dataset, {}) for name in self.cell_forms(dataset, category)
        }
        return by_strength(found)

    def forms_in(self, dataset: DatasetKey) -> tuple[Form, ...]:
        """All forms of personal data in the dataset, the strongest first."""
        return tuple(sorted({form for forms in self.cells.get(dataset, {}).values() for form in forms}))

    def recipients_of(self, dataset: DatasetKey) -> tuple[Recipient, ...]:
        """The stated recipients of the dataset."""
        return self.coverage.recipients_of(dataset)

    def strongest(self, dataset: DatasetKey) -> Iterator[tuple[AttributeExposure, NodeKey, tuple[Form, ...]]]:
        """For each category in the dataset, an attribute of it in the strongest form, and the least path with it.

        Attributes that are declared there come with the form IDENTITY.
        """
        if self.propagation is None:
            return
        nodes = self._nodes[dataset]
        by_place = {each.place: each for each in self.report.attributes}
        seen = set()
        for category, forms in self.cells.get(dataset, {}).items():
            found = next(
                (place, node)
                for form in forms
                for node in nodes
                for place in places(self.propagation.reaching(node) & self._masks[category])
                if form in {each.form for each in self.propagation.arrivals(place, node)}
            )
            if found not in seen:
                seen.add(found)
                place, node = found
                at = sorted({each.form for each in self.propagation.arrivals(place, node)})
                yield by_place[place], node, tuple(at)

    def places(self, nodes: Iterable[NodeKey]) -> Callable[[NodeKey], Place]:
        """From each of the nodes to its place, as people write it."""
        known = labels(self.store, nodes)
        return lambda node: Place(*node.dataset, known[node] if node.path else "")

    def step(self, edge: Edge, place: Callable[[NodeKey], Place]) -> Step:
        """The step of an edge."""
        names = {name for kind in edge.transformations for name in kind.functions}
        return Step(
            place(edge.source),
            place(edge.target),
            *edge.job,
            how=how(self.words, edge),
            functions=tuple(sorted(names)),
        )


def shown_forms_of(forms: Sequence[Form], edges: Sequence[Edge]) -> tuple[str, ...]:
    """The names of the forms in which something came by the edges."""
    return shown_forms(forms, [edge.transformations for edge in edges])


def ends_of(edges: Iterable[Edge]) -> Iterator[NodeKey]:
    """The sources and targets of edges."""
    for edge in edges:
        yield from (edge.source, edge.target)
