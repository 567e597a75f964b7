"""Changes in the exposure of personal data, in GraphQL."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from headwater_backend.domain.pages import size
from headwater_backend.domain.roles import Permission
from headwater_backend.privacy.answers import exposure_changes
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
    exposure_scope,
    ruling_of,
)
from headwater_graphql.fields.privacy.sign_offs import SignOff
from headwater_graphql.fields.types import Incomplete, NodeRef, PathRef, WitnessStep

if TYPE_CHECKING:
    from headwater_backend.domain.model import NodeKey

MOST_CHANGES = 1_000

definitions.enum(
    exposure_changes.ChangeKind,
    name="ExposureChangeKind",
    description="What happened to a path that holds, or held, an attribute; by the strongest form there.",
)


@definitions.object_type(description="A path where the forms of an attribute changed.")
class ExposureChange:
    kind: exposure_changes.ChangeKind
    attribute: PersonalAttribute
    node: PathRef
    before: list[Form] = definitions.field(description="Forms before, strongest first; empty if it is new.")
    after: list[Form] = definitions.field(description="Forms after, strongest first; empty if it is gone.")
    witness: list[WitnessStep] = definitions.field(
        description="A shortest route for the strongest form: after the change, or before it if it is gone."
    )

    @classmethod
    def of(cls, change: exposure_changes.ExposureChange, labels: Mapping[NodeKey, str]) -> ExposureChange:
        return cls(
            kind=change.kind,
            attribute=PersonalAttribute.of(change.attribute, labels),
            node=PathRef.of(change.node, labels),
            before=list(change.before),
            after=list(change.after),
            witness=[WitnessStep.of(edge, labels) for edge in change.witness],
        )


@definitions.object_type(
    description="Changes between two moments. If lineage is incomplete at one of them, what looks new may have been "
    "there before, and what looks gone may still be there."
)
class ExposureChanges:
    since: datetime
    as_of: datetime
    total_count: int
    changes: list[ExposureChange] = definitions.field(
        description="The first ones, by attribute, kind and path."
    )
    complete: bool
    incomplete: list[Incomplete] = definitions.field(description="Gaps at `asOf`.")
    incomplete_before: list[Incomplete] = definitions.field(description="Gaps at `since`.")
    classification: Classification = definitions.field(description="The present one, for both moments.")
    review: SignOff | None = definitions.field(
        description="The signed review until `since`, if there is one."
    )


@definitions.object_type()
class ExposureChangesQuery:
    @definitions.resolver(
        description="Changes in the exposure of personal data from `since`, or the last signed review that covers the "
        "question, to `asOf`, or now. The other arguments are those of `attributeExposure`; `first` is the number of "
        "changes to list."
    )
    @needs(Permission.AUDIT, audited_as="exposure")
    def exposure_changes(
        self,
        info: Info,
        since: datetime | None = None,
        as_of: datetime | None = None,
        as_known_at: datetime | None = None,
        node: NodeRef | None = None,
        category: str | None = None,
        depth: int | None = DEFAULT_DEPTH,
        influenced: bool = False,
        rules: list[PersonalRule] | None = None,
        functions: list[FunctionRule] | None = None,
        lenient: bool = False,
        first: int | None = MOST_CHANGES,
    ) -> ExposureChanges:
        info = as_known(info, as_known_at)
        most = size(first, "changes")
        scope = exposure_scope(info, node, None, category, depth, as_of, influenced)
        ruling = ruling_of(info, rules, functions, lenient)
        found = run_question(info, exposure_changes.exposure_changes, scope, since, ruling)
        shown = found.changes[:most]
        named = run_question(info, labels, _nodes(shown))
        return ExposureChanges(
            since=found.since,
            as_of=found.as_of,
            total_count=len(found.changes),
            changes=[ExposureChange.of(change, named) for change in shown],
            complete=found.complete,
            incomplete=[Incomplete.of(entry) for entry in found.incomplete],
            incomplete_before=[Incomplete.of(entry) for entry in found.incomplete_before],
            classification=Classification.of(found.classification),
            review=SignOff.of(found.review) if found.review else None,
        )


def _nodes(changes: Sequence[exposure_changes.ExposureChange]) -> Iterator[NodeKey]:
    for change in changes:
        yield from (change.attribute.node, change.node)
        for edge in change.witness:
            yield from (edge.source, edge.target)
