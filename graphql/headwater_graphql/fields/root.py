"""Root types of the schema."""

from __future__ import annotations

from headwater_backend.domain.roles import Permission
from headwater_backend.questions import resolving
from headwater_graphql.context import Info, run_question
from headwater_graphql.engine import definitions
from headwater_graphql.engine.root_fields import needs
from headwater_graphql.fields.active.checks import CheckQuery
from headwater_graphql.fields.active.explain import ExplanationQuery
from headwater_graphql.fields.active.records import RecordSourceQuery
from headwater_graphql.fields.active.usages import ContextQuery
from headwater_graphql.fields.audit import AuditQuery
from headwater_graphql.fields.callers import CallerQuery
from headwater_graphql.fields.data_flow import DataFlowQuery
from headwater_graphql.fields.dead_letters import DeadLetterMutation, DeadLetterQuery
from headwater_graphql.fields.impact import ImpactQuery
from headwater_graphql.fields.jobs import JobQuery
from headwater_graphql.fields.lineage import LineageQuery
from headwater_graphql.fields.privacy.breach import BreachQuery
from headwater_graphql.fields.privacy.classes import ClassMutation, ClassQuery
from headwater_graphql.fields.privacy.exposure import ExposureQuery
from headwater_graphql.fields.privacy.exposure_changes import ExposureChangesQuery
from headwater_graphql.fields.privacy.findings import FindingMutation, FindingQuery
from headwater_graphql.fields.privacy.group_exposure import GroupExposureQuery
from headwater_graphql.fields.privacy.matrix import MatrixQuery
from headwater_graphql.fields.privacy.policies.check import PolicyQuery
from headwater_graphql.fields.privacy.policies.crossings import CrossingQuery
from headwater_graphql.fields.privacy.policies.cut import CutQuery
from headwater_graphql.fields.privacy.policies.residency import ResidencyQuery
from headwater_graphql.fields.privacy.reidentification import ReidentificationQuery
from headwater_graphql.fields.privacy.retention import RetentionQuery
from headwater_graphql.fields.privacy.sign_offs import SignOffQuery
from headwater_graphql.fields.privacy.subject import SubjectQuery
from headwater_graphql.fields.programs import ConditionQuery, UserFunctionQuery
from headwater_graphql.fields.reports import ReportMutation, ReportQuery
from headwater_graphql.fields.search import SearchQuery
from headwater_graphql.fields.stewards.claims import ClaimQuery
from headwater_graphql.fields.stewards.copies import CopyMutation, CopyQuery
from headwater_graphql.fields.stewards.corrections import CorrectionMutation, CorrectionQuery
from headwater_graphql.fields.stewards.function_proposals import (
    FunctionProposalMutation,
    FunctionProposalQuery,
)
from headwater_graphql.fields.stewards.names import NamingMutation, NamingQuery
from headwater_graphql.fields.types import Dataset, DatasetConnection
from headwater_graphql.fields.usage import UsageQuery


@definitions.object_type()
class Query(
    LineageQuery,
    DataFlowQuery,
    ImpactQuery,
    ConditionQuery,
    ContextQuery,
    RecordSourceQuery,
    ExposureQuery,
    ExposureChangesQuery,
    MatrixQuery,
    GroupExposureQuery,
    PolicyQuery,
    CutQuery,
    BreachQuery,
    ReidentificationQuery,
    SubjectQuery,
    RetentionQuery,
    ResidencyQuery,
    CrossingQuery,
    ClassQuery,
    FindingQuery,
    ReportQuery,
    SignOffQuery,
    SearchQuery,
    JobQuery,
    UsageQuery,
    CheckQuery,
    ExplanationQuery,
    UserFunctionQuery,
    FunctionProposalQuery,
    AuditQuery,
    DeadLetterQuery,
    NamingQuery,
    CopyQuery,
    CorrectionQuery,
    ClaimQuery,
    CallerQuery,
):
    @definitions.resolver(description="The dataset with that name or symlink.")
    @needs(Permission.ASK, one_thing=True)
    def dataset(self, info: Info, namespace: str, name: str) -> Dataset | None:
        found = run_question(info, resolving.find_dataset, namespace, name)
        return Dataset.of(found) if found else None

    @definitions.resolver(description="Datasets whose namespace or name contains the text, by name.")
    @needs(Permission.ASK)
    def datasets(
        self,
        info: Info,
        search: str | None = definitions.UNSET,
        first: int | None = resolving.PAGE,
        after: str | None = definitions.UNSET,
    ) -> DatasetConnection:
        page = run_question(info, resolving.datasets, search or None, first, after or None)
        return DatasetConnection.of(page, after or None)


@definitions.object_type()
class Mutation(
    DeadLetterMutation,
    NamingMutation,
    CopyMutation,
    CorrectionMutation,
    FunctionProposalMutation,
    FindingMutation,
    ClassMutation,
    ReportMutation,
):
    """Root type of operations that change data."""
