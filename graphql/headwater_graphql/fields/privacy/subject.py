"""Subject access and erasure in GraphQL: where the data of a person are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.roles import Permission
from headwater_backend.privacy.answers import subject
from headwater_backend.privacy.forms import Form
from headwater_backend.questions.resolving import labels
from headwater_backend.questions.traversal import DEFAULT_DEPTH
from headwater_graphql.context import Info, as_known, run_question
from headwater_graphql.engine import definitions
from headwater_graphql.engine.root_fields import needs
from headwater_graphql.fields.privacy.exposure import (
    MOST_OUTPUTS,
    Classification,
    FunctionRule,
    PersonalRule,
    exposure_scope,
    ruling_of,
)
from headwater_graphql.fields.privacy.held_attributes import HeldAttribute, nodes_of
from headwater_graphql.fields.types import Incomplete, JobRef, NodeRef, Owner, PathRef

if TYPE_CHECKING:
    from headwater_backend.domain import facet_readers
    from headwater_backend.domain.model import NodeKey

definitions.enum(
    subject.Order,
    name="ErasureOrder",
    description="SOURCES_FIRST: what is computed again does not hold the person any more. SOURCES_LAST: no copy is "
    "left when the source is gone.",
)
definitions.enum(
    subject.Erasure,
    name="Erasure",
    description="Whether a path can be erased for one person, or why it cannot. POSSIBLE_KEY: only by a possible key.",
)


@definitions.object_type(description="A path by which a person is found in its dataset.")
class PersonKey:
    node: PathRef
    attribute: PathRef
    form: Form = definitions.field(
        description="IDENTITY, or PSEUDONYMISED: look for the same pseudonym; or TRANSFORMED of a possible key."
    )

    @classmethod
    def of(cls, key: subject.PersonKey, labels: Mapping[NodeKey, str]) -> PersonKey:
        return cls(
            node=PathRef.of(key.node, labels),
            attribute=PathRef.of(key.attribute.node, labels),
            form=key.form,
        )


@definitions.object_type(description="A path that holds a personal attribute.")
class HeldPath:
    held: HeldAttribute
    keys: list[PersonKey] = definitions.field(
        description="Paths of the same dataset that identify the person and came the same way."
    )
    possible_keys: list[PersonKey] = definitions.field(
        description="If there are no keys: paths of the same rows by which the person may be found. They are computed "
        "from an identifying attribute, or hold one of another origin, which may be of another person."
    )
    erasable: bool = definitions.field(
        description="Whether it holds something of one person, who can be found there by a key."
    )
    erasure: subject.Erasure

    @classmethod
    def of(cls, path: subject.HeldPath, labels: Mapping[NodeKey, str]) -> HeldPath:
        return cls(
            held=HeldAttribute.of(path.held, labels),
            keys=[PersonKey.of(key, labels) for key in path.keys],
            possible_keys=[PersonKey.of(key, labels) for key in path.possible_keys],
            erasable=path.erasable,
            erasure=path.erasure,
        )


@definitions.object_type(description="A dataset that holds data of persons.")
class SubjectDataset:
    namespace: str
    name: str
    distance: int = definitions.field(
        description="The largest number of edges from an attribute; 0 where attributes are only declared."
    )
    paths: list[HeldPath]
    owners: list[Owner] = definitions.field(description="Empty if no event names any.")
    writers: list[JobRef] = definitions.field(
        description="Jobs that brought the data there, and may do so again; a source has none."
    )

    @classmethod
    def of(
        cls,
        found: subject.SubjectDataset,
        labels: Mapping[NodeKey, str],
        owners: Sequence[facet_readers.Owner],
    ) -> SubjectDataset:
        return cls(
            namespace=found.key.namespace,
            name=found.key.name,
            distance=found.distance,
            paths=[HeldPath.of(path, labels) for path in found.paths],
            owners=[Owner.of(owner) for owner in owners],
            writers=[JobRef.of(job) for job in found.writers],
        )


@definitions.object_type(description="Where the data of a person are, in the order of erasure.")
class SubjectData:
    as_of: datetime = definitions.field(description="The time of the lineage used.")
    order: subject.Order
    datasets: list[SubjectDataset]
    complete: bool
    incomplete: list[Incomplete]
    classification: Classification


@definitions.object_type()
class SubjectQuery:
    @definitions.resolver(
        description="Datasets that hold personal attributes, the keys by which a person is found there, and the order "
        "of erasure. Arguments are those of `attributeExposure`; long answers are refused."
    )
    @needs(Permission.AUDIT, audited_as="subject data", one_thing=True)
    def subject_data(
        self,
        info: Info,
        node: NodeRef | None = None,
        category: str | None = None,
        order: subject.Order = subject.Order.SOURCES_FIRST,
        depth: int | None = DEFAULT_DEPTH,
        as_of: datetime | None = None,
        as_known_at: datetime | None = None,
        rules: list[PersonalRule] | None = None,
        functions: list[FunctionRule] | None = None,
        lenient: bool = False,
    ) -> SubjectData:
        info = as_known(info, as_known_at)
        scope = exposure_scope(info, node, None, category, depth, as_of, influenced=False)
        ruling = ruling_of(info, rules, functions, lenient)
        found = run_question(info, subject.subject_data, scope, ruling, order)
        count = sum(len(each.paths) for each in found.datasets)
        if count > MOST_OUTPUTS:
            raise BadQuestion(
                f"the answer has {count:,} paths, more than the maximum {MOST_OUTPUTS:,}",
                "select a node or a category",
            )
        named = run_question(
            info, labels, nodes_of(path.held for each in found.datasets for path in each.paths)
        )
        owners = run_question(info, subject.owners_of, [each.key for each in found.datasets])
        return SubjectData(
            as_of=found.as_of,
            order=found.order,
            datasets=[SubjectDataset.of(each, named, owners.get(each.key, ())) for each in found.datasets],
            complete=found.complete,
            incomplete=[Incomplete.of(entry) for entry in found.incomplete],
            classification=Classification.of(found.classification),
        )
