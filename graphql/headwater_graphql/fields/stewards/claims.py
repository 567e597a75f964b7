"""Claims in GraphQL: facets from callers without permission to write the dataset's namespace."""

from __future__ import annotations

from datetime import datetime

from headwater_backend.domain import model
from headwater_backend.domain.roles import Permission
from headwater_backend.questions.catalog import claims
from headwater_graphql.context import Info, run_question
from headwater_graphql.engine import definitions
from headwater_graphql.engine.connections import Connection, connection
from headwater_graphql.engine.definitions import JSON
from headwater_graphql.engine.root_fields import needs
from headwater_graphql.fields.stewards.names import DatasetName
from headwater_graphql.fields.types import DatasetRef


@definitions.object_type(
    description="A caller's statement about a dataset whose namespace it may not write. It is listed, but not "
    "from it."
)
class Claim:
    dataset: DatasetRef = definitions.field(description="The dataset's name in the event.")
    by: str = definitions.field(description="The caller, as in the audit log.")
    facet: str = definitions.field(description="The facet's name: `symlinks` if it joins two names.")
    at: datetime
    body: JSON = definitions.field(description="The original facet.")

    @classmethod
    def of(cls, claim: model.Claim) -> Claim:
        return cls(
            dataset=DatasetRef.of(claim.dataset),
            by=claim.by,
            facet=claim.facet,
            at=claim.at,
            body=JSON(dict(claim.body)),
        )


@definitions.object_type()
class ClaimQuery:
    @definitions.resolver(
        description="Claims about a dataset under any of its names, or about all datasets, by dataset."
    )
    @needs(Permission.ASK)
    def claims(
        self, info: Info, dataset: DatasetName | None = None, first: int | None = 50, after: str | None = None
    ) -> Connection[Claim]:
        page = run_question(info, claims.claims, dataset.key() if dataset else None, first, after)
        cursors = [claims.cursor(claim) for claim in page.items]
        return connection(map(Claim.of, page.items), cursors, page.has_next, after)
