"""Personal data in the groups of an overview, in GraphQL."""

from __future__ import annotations

from datetime import datetime

from headwater_backend.domain.roles import Permission
from headwater_backend.privacy.answers import group_exposure
from headwater_backend.privacy.forms import Form
from headwater_backend.questions.traversal import DEFAULT_DEPTH
from headwater_graphql.context import Info, run_question
from headwater_graphql.engine import definitions
from headwater_graphql.engine.root_fields import needs
from headwater_graphql.fields.data_flow import OpenGroup, open_groups
from headwater_graphql.fields.privacy.exposure import exposure_scope, ruling_of


@definitions.object_type(description="A group of `overview` in which datasets hold personal data.")
class ExposedGroup:
    namespace: str
    place: str | None
    datasets: int = definitions.field(description="Number of datasets that are known to hold personal data.")
    form: Form = definitions.field(description="The strongest form in them.")


@definitions.object_type(description="The groups that hold personal data; others may, unless it is complete.")
class OverviewExposure:
    groups: list[ExposedGroup]
    complete: bool
    as_of: datetime

    @classmethod
    def of(cls, found: group_exposure.ExposedGroups) -> OverviewExposure:
        groups = [
            ExposedGroup(namespace=namespace, place=place, datasets=each.datasets, form=each.form)
            for each in found.groups
            for namespace, place in [each.place]
        ]
        return cls(groups=groups, complete=found.report.complete, as_of=found.report.as_of)


@definitions.object_type()
class GroupExposureQuery:
    @definitions.resolver(
        description="In which groups of the `overview` with these open datasets hold personal data."
    )
    @needs(Permission.AUDIT, audited_as="exposure")
    def overview_exposure(
        self,
        info: Info,
        opened: list[OpenGroup] | None = None,
        depth: int | None = DEFAULT_DEPTH,
        as_of: datetime | None = None,
    ) -> OverviewExposure:
        scope = exposure_scope(info, None, None, None, depth, as_of, False)
        ruling, snapshots = ruling_of(info, None, None, False), info.context.snapshots
        return OverviewExposure.of(
            run_question(info, group_exposure.exposed_groups, scope, ruling, snapshots, open_groups(opened))
        )
