"""Breaches in GraphQL: what a leak exposes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING

from headwater_backend.domain.pages import size
from headwater_backend.domain.roles import Permission
from headwater_backend.privacy.answers import breach
from headwater_backend.privacy.classification.place_patterns import PlacePattern
from headwater_backend.privacy.forms import Form
from headwater_backend.privacy.policies import EVERY_PATH
from headwater_backend.questions.resolving import labels
from headwater_backend.questions.traversal import DEFAULT_DEPTH
from headwater_graphql.context import Info, as_known, run_question
from headwater_graphql.engine import definitions
from headwater_graphql.engine.root_fields import needs
from headwater_graphql.fields.privacy.exposure import (
    Classification,
    FunctionRule,
    PersonalAttribute,
    PersonalRule,
    exposure_bounds,
    ruling_of,
)
from headwater_graphql.fields.privacy.held_attributes import HeldAttribute, nodes_of
from headwater_graphql.fields.types import DatasetRef, Incomplete, JobRef, PathRef

if TYPE_CHECKING:
    from headwater_backend.domain.model import NodeKey

MOST = 500


@definitions.input_type(
    description="Leaked paths of leaked datasets, as patterns like those of `PersonalRule`; without `path`, all paths. "
    "A place that matches nothing is an error."
)
class LeakedPlace:
    name: str
    namespace: str | None = None
    path: str = EVERY_PATH

    def value(self, number: int) -> PlacePattern:
        return PlacePattern((self.namespace or "", self.name), self.path, number)


@definitions.object_type(description="What a place of the leak matches.")
class LeakedMatch:
    name: str = definitions.field(description="The place as it was asked for.")
    namespace: str | None
    path: str
    count: int = definitions.field(description="The number of known paths, inner ones included.")
    nodes: list[PathRef] = definitions.field(description="The first of them.")
    unknown: list[DatasetRef] = definitions.field(
        description="Datasets that it covers and of which no path is known: all that may be in them leaked. "
        "The first of them."
    )
    unknown_count: int

    @classmethod
    def of(cls, found: breach.Matched, labels: Mapping[NodeKey, str], most: int) -> LeakedMatch:
        namespace, name = found.place.dataset_text
        return cls(
            name=name,
            namespace=namespace or None,
            path=found.place.path_text,
            count=len(found.nodes),
            nodes=[PathRef.of(node, labels) for node in found.nodes[:most]],
            unknown=[DatasetRef.of(key) for key in found.unknown[:most]],
            unknown_count=len(found.unknown),
        )


@definitions.object_type(description="A leaked dataset.")
class LeakedDataset:
    namespace: str
    name: str
    rows: int | None = definitions.field(
        description=f"What the newest run that counted them wrote, of the newest {breach.RUNS} and the newest of each "
        "writer."
    )
    written_at: datetime | None
    writers: list[JobRef] = definitions.field(description="All jobs that wrote it.")
    readers: list[JobRef] = definitions.field(description="All jobs that read it, and may hold copies.")

    @classmethod
    def of(cls, found: breach.LeakedDataset) -> LeakedDataset:
        return cls(
            namespace=found.dataset.namespace,
            name=found.dataset.name,
            rows=found.rows,
            written_at=found.written_at,
            writers=[JobRef.of(job) for job in found.writers],
            readers=[JobRef.of(job) for job in found.readers],
        )


@definitions.object_type(
    description="A path outside the leak that holds an identifying attribute of it, with which the leaked data can be "
    "joined."
)
class JoinablePath:
    attribute: PersonalAttribute
    node: PathRef
    form: Form = definitions.field(
        description="IDENTITY or PSEUDONYMISED: both hold the same; TRANSFORMED: one is, or both are, computed from it."
    )
    reidentifies: bool = definitions.field(
        description="Whether it is a pseudonym, and the dataset also holds the attribute itself: a key table."
    )

    @classmethod
    def of(cls, found: breach.Joinable, labels: Mapping[NodeKey, str]) -> JoinablePath:
        return cls(
            attribute=PersonalAttribute.of(found.attribute, labels),
            node=PathRef.of(found.node, labels),
            form=found.form,
            reidentifies=found.reidentifies,
        )


@definitions.object_type(
    description="What a leak exposes. Lists hold the first ones, by attribute, form and path."
)
class Breach:
    as_of: datetime = definitions.field(description="The time of the lineage used.")
    matched: list[LeakedMatch] = definitions.field(description="What each place matches, in their order.")
    datasets: list[LeakedDataset]
    value_count: int
    values: list[HeldAttribute] = definitions.field(description="Attributes whose values are in the leak.")
    influence_count: int
    influences: list[HeldAttribute] = definitions.field(
        description="Attributes that only decided about what is there, which may allow to reconstruct some of them."
    )
    joinable_count: int
    joinable: list[JoinablePath]
    complete: bool
    incomplete: list[Incomplete]
    classification: Classification


@definitions.object_type()
class BreachQuery:
    @definitions.resolver(
        description="What a leak of these places exposes. `first` is the number of entries in each list; the other "
        "arguments are those of `attributeExposure`."
    )
    @needs(Permission.AUDIT, audited_as="breach")
    def breach(
        self,
        info: Info,
        leaked: list[LeakedPlace],
        depth: int | None = DEFAULT_DEPTH,
        as_of: datetime | None = None,
        as_known_at: datetime | None = None,
        rules: list[PersonalRule] | None = None,
        functions: list[FunctionRule] | None = None,
        lenient: bool = False,
        first: int | None = MOST,
    ) -> Breach:
        info = as_known(info, as_known_at)
        most = size(first, "entries")
        found = run_question(
            info,
            breach.breach,
            [place.value(number) for number, place in enumerate(leaked, 1)],
            ruling_of(info, rules, functions, lenient),
            exposure_bounds(info, depth, as_of),
        )
        values, influences, joinable = found.values[:most], found.influences[:most], found.joinable[:most]
        matched = chain.from_iterable(each.nodes[:most] for each in found.matched)
        shown = chain(nodes_of(values), nodes_of(influences), _ends(joinable), matched)
        named = run_question(info, labels, shown)
        return Breach(
            as_of=found.as_of,
            matched=[LeakedMatch.of(each, named, most) for each in found.matched],
            datasets=[LeakedDataset.of(each) for each in found.datasets],
            value_count=len(found.values),
            values=[HeldAttribute.of(each, named) for each in values],
            influence_count=len(found.influences),
            influences=[HeldAttribute.of(each, named) for each in influences],
            joinable_count=len(found.joinable),
            joinable=[JoinablePath.of(each, named) for each in joinable],
            complete=found.complete,
            incomplete=[Incomplete.of(entry) for entry in found.incomplete],
            classification=Classification.of(found.classification),
        )


def _ends(found: Iterable[breach.Joinable]) -> Iterator[NodeKey]:
    for each in found:
        yield from (each.attribute.node, each.node)
