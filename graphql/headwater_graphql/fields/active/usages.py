"""Uses of paths by context in GraphQL: what for, and together with what."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from headwater_backend.domain import model
from headwater_backend.domain.roles import Permission
from headwater_backend.questions.catalog import contexts
from headwater_graphql.context import Info, as_known, run_question
from headwater_graphql.engine import definitions
from headwater_graphql.engine.root_fields import needs
from headwater_graphql.fields.types import DatasetRef, Incomplete, JobRef, NodeRef, PathRef

definitions.enum(
    contexts.Use,
    name="PathContext",
    description="What a path is used for. AGGREGATE: a value that is aggregated, VALUE, too. GROUP_KEY: rows are "
    "grouped by it. CONDITION: it decides between values. OTHER: in a way of its producer's own.",
)
definitions.enum(
    contexts.Within,
    name="UsedWithin",
    description="WRITE: one job makes one dataset of both. PATH: they make, or decide about, one path of it.",
)


@definitions.input_type(
    description="A path or a whole dataset, used for one of these; for anything, if none is given."
)
class UsedWith:
    node: NodeRef
    used_as: list[contexts.Use] | None = None

    def wanted(self) -> contexts.Wanted:
        return contexts.Wanted(self.node.key(), frozenset(self.used_as or ()))


@definitions.object_type(description="A path, and what a job uses it for.")
class UsedPath:
    node: PathRef
    used_as: list[contexts.Use]
    targets: list[PathRef] = definitions.field(
        description="What is made of it, or decided by it: a dataset without a path, if that is all of its rows."
    )
    functions: list[str] = definitions.field(description="Functions that make a value of it.")

    @classmethod
    def of(cls, found: contexts.PathUse, names: Mapping[model.NodeKey, str]) -> UsedPath:
        return cls(
            node=PathRef.of(found.node, names),
            used_as=list(found.uses),
            targets=[PathRef.of(each, names) for each in found.targets],
            functions=list(found.functions),
        )


@definitions.object_type(description="A job that makes a dataset, and what it uses for that.")
class PathUsage:
    job: JobRef
    output: DatasetRef
    used: list[UsedPath] = definitions.field(description="The path in question, or those in or around it.")
    together: list[list[UsedPath]] = definitions.field(description="Those of each `togetherWith`, in order.")

    @classmethod
    def of(cls, found: contexts.Context, names: Mapping[model.NodeKey, str]) -> PathUsage:
        return cls(
            job=JobRef.of(found.job),
            output=DatasetRef.of(found.output),
            used=[UsedPath.of(each, names) for each in found.of],
            together=[[UsedPath.of(each, names) for each in some] for some in found.together],
        )


@definitions.object_type(description="Uses of a path, by job and what it makes.")
class PathUsages:
    usages: list[PathUsage]
    complete: bool
    incomplete: list[Incomplete]

    @classmethod
    def of(cls, found: contexts.Contexts) -> PathUsages:
        return cls(
            usages=[PathUsage.of(each, found.labels) for each in found.contexts],
            complete=found.complete,
            incomplete=[Incomplete.of(each) for each in found.incomplete],
        )


@definitions.object_type()
class ContextQuery:
    @definitions.resolver(
        description="Where a path, or any of a dataset, is `usedAs` one of these, `togetherWith` all others: in "
        "jobs of Spark, business mappings, and jobs of other producers alike."
    )
    @needs(Permission.ASK)
    def usages(
        self,
        info: Info,
        of: NodeRef,
        used_as: list[contexts.Use] | None = None,
        together_with: list[UsedWith] | None = None,
        within: contexts.Within = contexts.Within.WRITE,
        as_of: datetime | None = None,
        as_known_at: datetime | None = None,
    ) -> PathUsages:
        info = as_known(info, as_known_at)
        wanted = contexts.Wanted(of.key(), frozenset(used_as or ()))
        others = [each.wanted() for each in together_with or ()]
        return PathUsages.of(run_question(info, contexts.usages, wanted, others, within, as_of=as_of))
