"""Re-identified pseudonyms in GraphQL."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING

from headwater_backend.domain.pages import size
from headwater_backend.domain.roles import Permission
from headwater_backend.privacy import reidentified
from headwater_backend.privacy.answers import reidentification, small_groups
from headwater_backend.privacy.forms import Form
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
from headwater_graphql.fields.types import Incomplete, JobRef, PathRef, WitnessStep

if TYPE_CHECKING:
    from headwater_backend.domain.model import NodeKey

MOST = 500

definitions.enum(
    reidentified.How,
    name="Reidentified",
    description="SAME_ROWS: one job brought the pseudonym and the attribute, or the dataset declares it. SAME_DATASET: "
    "different jobs brought them, perhaps in different rows. KEY_TABLE: joined with a dataset that holds both.",
)


@definitions.object_type(description="A path that holds the attribute of a finding.")
class HeldForm:
    node: PathRef
    form: Form
    witness: list[WitnessStep] = definitions.field(
        description="A shortest route in that form; empty where the attribute is declared there."
    )

    @classmethod
    def of(cls, held: reidentified.Held, labels: Mapping[NodeKey, str]) -> HeldForm:
        return cls(
            node=PathRef.of(held.node, labels),
            form=held.form,
            witness=[WitnessStep.of(edge, labels) for edge in held.witness],
        )


@definitions.object_type(description="A dataset in which a pseudonym is no protection.")
class Reidentification:
    namespace: str
    name: str
    attribute: PersonalAttribute
    how: reidentified.How
    pseudonym: HeldForm
    source: HeldForm = definitions.field(description="What makes it readable.")
    brought: HeldForm | None = definitions.field(
        default=None,
        description="What identifies the person and came from the key table, if it was joined with one.",
    )

    @classmethod
    def of(cls, found: reidentified.Reidentification, labels: Mapping[NodeKey, str]) -> Reidentification:
        return cls(
            namespace=found.dataset.namespace,
            name=found.dataset.name,
            attribute=PersonalAttribute.of(found.attribute, labels),
            how=found.how,
            pseudonym=HeldForm.of(found.pseudonym, labels),
            source=HeldForm.of(found.source, labels),
            brought=HeldForm.of(found.brought, labels) if found.brought else None,
        )


@definitions.object_type(
    description="A path by which a job groups an aggregated output, and that nothing classifies: if it identifies a "
    "person, the aggregates are that person's data."
)
class UnclassifiedKey:
    namespace: str
    name: str
    job: JobRef
    key: PathRef

    @classmethod
    def of(cls, found: reidentification.GroupKey, labels: Mapping[NodeKey, str]) -> UnclassifiedKey:
        return cls(
            namespace=found.output.namespace,
            name=found.output.name,
            job=JobRef.of(found.job),
            key=PathRef.of(found.key, labels),
        )


@definitions.object_type(
    description="A dataset with aggregates over few rows, by the newest run that counted what it read and wrote."
)
class SmallGroups:
    namespace: str
    name: str
    job: JobRef
    rows: int = definitions.field(description="The rows that the run wrote.")
    read: int = definitions.field(description="The rows that it read.")

    @classmethod
    def of(cls, found: small_groups.SmallGroups) -> SmallGroups:
        return cls(
            namespace=found.dataset.namespace,
            name=found.dataset.name,
            job=JobRef.of(found.job),
            rows=found.rows,
            read=found.read,
        )


@definitions.object_type(description="Re-identified pseudonyms. Lists hold the first ones, by dataset.")
class Reidentifications:
    as_of: datetime = definitions.field(description="The time of the lineage used.")
    finding_count: int
    findings: list[Reidentification]
    unclassified_key_count: int
    unclassified_keys: list[UnclassifiedKey]
    small_group_count: int
    small_groups: list[SmallGroups] = definitions.field(
        description=f"Datasets with aggregates whose run read fewer than {small_groups.LEAST} rows for each that it "
        "wrote."
    )
    complete: bool
    incomplete: list[Incomplete]
    classification: Classification


@definitions.object_type()
class ReidentificationQuery:
    @definitions.resolver(
        description="Pseudonyms that the data beside them, or a key table, make readable, and keys of aggregates that "
        "nothing classifies. `first` is the number of entries in each list; the other arguments are those of "
        "`attributeExposure`."
    )
    @needs(Permission.AUDIT, audited_as="reidentifications")
    def reidentifications(
        self,
        info: Info,
        category: str | None = None,
        depth: int | None = DEFAULT_DEPTH,
        as_of: datetime | None = None,
        as_known_at: datetime | None = None,
        rules: list[PersonalRule] | None = None,
        functions: list[FunctionRule] | None = None,
        lenient: bool = False,
        first: int | None = MOST,
    ) -> Reidentifications:
        info = as_known(info, as_known_at)
        most = size(first, "entries")
        ruling, bounds = ruling_of(info, rules, functions, lenient), exposure_bounds(info, depth, as_of)
        found = run_question(info, reidentification.reidentifications, ruling, category, bounds)
        findings, keys = found.findings[:most], found.keys[:most]
        named = run_question(info, labels, chain(nodes_of_found(findings), (each.key for each in keys)))
        return Reidentifications(
            as_of=found.as_of,
            finding_count=len(found.findings),
            findings=[Reidentification.of(each, named) for each in findings],
            unclassified_key_count=len(found.keys),
            unclassified_keys=[UnclassifiedKey.of(each, named) for each in keys],
            small_group_count=len(found.small_groups),
            small_groups=[SmallGroups.of(each) for each in found.small_groups[:most]],
            complete=found.complete,
            incomplete=[Incomplete.of(entry) for entry in found.incomplete],
            classification=Classification.of(found.classification),
        )


def nodes_of_found(found: Iterable[reidentified.Reidentification]) -> Iterator[NodeKey]:
    """All nodes whose labels ``Reidentification.of`` needs."""
    for each in found:
        yield each.attribute.node
        for held in filter(None, (each.pseudonym, each.source, each.brought)):
            yield held.node
            for edge in held.witness:
                yield from (edge.source, edge.target)
