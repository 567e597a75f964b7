"""Mappings by the populations that the agent sent: rows of which datasets make a row, what they passed, and values.

The language joins at most one entity to the driving one. What is made of rows of more, or of two of the same one, is a
mapping for each of them, with remarks on what they are put together by.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from headwater_backend.active.carrying import shown
from headwater_backend.active.passages import related
from headwater_backend.active.reading import Of, Population
from headwater_backend.domain.model import DatasetKey, Edge, NodeKey
from headwater_backend.reports.mapped.clauses import choices, condition, pair
from headwater_backend.reports.mapped.relations import Relation, Speech
from headwater_mappings import tree


@dataclass(frozen=True, slots=True)
class Written:
    """A mapping, or remarks alone where nothing can be populated in it, and the edges that it tells of."""

    mapping: tree.Mapping | tuple[str, ...]
    edges: frozenset[Edge]


@dataclass(frozen=True, slots=True)
class _View:
    """Some rows of a population: a driving one, and perhaps one that is navigated to, by pairs of columns."""

    rows: tuple[int, ...]
    pairs: tuple[tuple[Of, Of], ...] = ()


def populated(relation: Relation, speech: Speech) -> Iterator[Written]:
    """The mappings of each population from which values of the answer come, or that makes some of constants."""
    for population in relation.populations:
        edges = [edge for edge in relation.edges if _row(population, edge) is not None]
        if edges or any(_is_constant(population, each) for each in relation.targets):
            for number, view in enumerate(_views(population)):
                yield _Writer(relation, speech, population, view).written(edges, is_first=number == 0)


@dataclass(frozen=True, slots=True)
class _Writer:
    relation: Relation
    speech: Speech
    population: Population
    view: _View

    def written(self, edges: Sequence[Edge], *, is_first: bool) -> Written:
        mine = [edge for edge in edges if self._is_of_view(edge)]
        found = [
            self._populate(target, [each for each in mine if each.target == target], is_first=is_first)
            for target in self.relation.targets
        ]
        populates = tuple(each for each in found if isinstance(each, tree.Populate))
        remarks = [self.speech.words("mapping.job", job=self.relation.title), *self._rows()]
        remarks += [each for each in found if isinstance(each, str)]
        passed, unexpressed = self._filter()
        remarks += [self.speech.words("mapping.passed", condition=sql) for sql in unexpressed]
        mapping = tree.Mapping(
            self.speech.names.entity(self.relation.output),
            self._entity(self.view.rows[0]),
            populates,
            passed,
            self._navigation(),
        )
        remarks += self.speech.deciding(self.relation, self.relation.targets, tree.sources_in(mapping))
        written = replace(mapping, remarks=tuple(remarks)) if populates else tuple(remarks)
        return Written(written, frozenset(mine))

    def _is_of_view(self, edge: Edge) -> bool:
        row = _row(self.population, edge)
        return row in self.view.rows and edge.source.dataset == _dataset(self.population, self.relation, row)

    def _populate(
        self, target: NodeKey, edges: Sequence[Edge], *, is_first: bool
    ) -> tree.Populate | str | None:
        """What a path is made of; a remark if no clause can express it, None if by another mapping."""
        made = self.population.values.get(target.path)
        name = self.speech.names.attribute(target).name
        if made is None or not made.exact:
            return self.speech.populate(target, edges) if edges else None
        if not edges and (made.of or not is_first):
            return None
        whole = choices(made.term, self._named)
        if whole is None:
            remark = self.speech.words("mapping.shown", name=name, expression=shown(made.term))
            sources = [self.speech.names.attribute(edge.source) for edge in edges]
            return self.speech.coarse(target, sources, remark) if sources else remark
        if not whole:
            return self.speech.words("mapping.empty", name=name)
        return tree.Populate(self.speech.names.attribute(target), whole)

    def _filter(self) -> tuple[tree.Condition | None, list[str]]:
        """What a condition can express of the rows, and the SQL of what it cannot."""
        expressed: dict[tree.Condition, None] = {}
        unexpressed = dict.fromkeys(self.population.unread)
        for each in self.population.passed:
            if pair(each.term) in self.view.pairs:
                continue
            found = condition(each.term, self._named)
            if found is None:
                unexpressed[each.sql] = None
            else:
                expressed.update(dict.fromkeys(found.parts if isinstance(found, tree.AllOf) else (found,)))
        if not expressed:
            return None, list(unexpressed)
        whole = next(iter(expressed)) if len(expressed) == 1 else tree.AllOf(tuple(expressed))
        return whole, list(unexpressed)

    def _rows(self) -> Iterator[str]:
        """Remarks on the rows that the view has not, and on those that have no partner."""
        others = [self._entity(each) for each in self.population.rows if each not in self.view.rows]
        if others:
            both = [*(self._entity(each) for each in self.view.rows), *others]
            yield self.speech.words("mapping.together", entities=self.speech.listed(both))
        if self.view.pairs:
            yield self.speech.words("mapping.partner")
        for each in self.view.rows:
            datasets = self.population.rows[each].datasets
            if len(datasets) > 1:
                entities = self.speech.listed(map(self.speech.names.entity, datasets))
                yield self.speech.words("mapping.one_of", entities=entities)

    def _navigation(self) -> tree.Navigation | None:
        if not self.view.pairs:
            return None
        source, target = (self._entity(each) for each in self.view.rows)
        pairs = []
        for pair_ in self.view.pairs:
            left, right = sorted(pair_, key=lambda of: of.row != self.view.rows[0])
            named = self._named(left), self._named(right)
            pairs += [(one, other) for one, other in [named] if one is not None and other is not None]
        return tree.Navigation(source, target, tuple(pairs))

    def _entity(self, row: int) -> str:
        return self.speech.names.entity(_dataset(self.population, self.relation, row))

    def _named(self, of: Of) -> tree.Attribute | None:
        if of.row not in self.view.rows:
            return None
        return self.speech.names.attribute(NodeKey(_dataset(self.population, self.relation, of.row), of.path))


def _views(population: Population) -> Iterator[_View]:
    """The driving row with the one that is joined to it by equal columns, and each other row."""
    rows = sorted(population.rows)
    equal = [each for term in population.passed if (each := pair(term.term)) is not None]
    for driving in rows[:1]:
        for partner in rows[1:]:
            pairs = tuple(each for each in equal if {of.row for of in each} == {driving, partner})
            if pairs and not set(population.rows[driving].datasets) & set(population.rows[partner].datasets):
                yield _View((driving, partner), pairs)
                yield from (_View((each,)) for each in rows if each not in (driving, partner))
                return
    yield from (_View((each,)) for each in rows)


def _row(population: Population, edge: Edge) -> int | None:
    """The row that an edge's value is of; None if the population does not read the dataset."""
    reading = [number for number, row in population.rows.items() if edge.source.dataset in row.datasets]
    made = population.values.get(edge.target.path)
    named = [of.row for of in made.of if related(of.path, edge.source.path)] if made else []
    return next((each for each in reading if each in named), next(iter(reading), None))


def _dataset(population: Population, relation: Relation, row: int) -> DatasetKey:
    """Of the datasets that a row may be of, the first from which values of the answer come."""
    datasets = population.rows[row].datasets
    known = {edge.source.dataset for edge in relation.edges}
    return next((each for each in datasets if each in known), datasets[0])


def _is_constant(population: Population, node: NodeKey) -> bool:
    made = population.values.get(node.path)
    return made is not None and made.exact and not made.of
