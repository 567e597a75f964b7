"""Claims in GraphQL: what callers said of datasets that are not theirs to describe."""

from __future__ import annotations

from datetime import datetime

from headwater_backend.domain import model
from headwater_backend.questions import claims
from headwater_graphql.context import Info, ask
from headwater_graphql.engine import declare
from headwater_graphql.engine.connections import Connection, connection
from headwater_graphql.engine.declare import JSON
from headwater_graphql.fields.naming import DatasetName
from headwater_graphql.fields.types import DatasetRef


@declare.object_type(
    description="What a caller said about a dataset whose namespace it may not write. It is shown, and nothing follows "
    "from it."
)
class Claim:
    dataset: DatasetRef = declare.field(description="By the name that the caller gave it.")
    by: str = declare.field(description="The caller, as in the audit log.")
    facet: str = declare.field(description="The facet's name: `symlinks` where it joined two names.")
    at: datetime
    body: JSON = declare.field(description="The facet as it came.")

    @classmethod
    def of(cls, claim: model.Claim) -> Claim:
        return cls(
            dataset=DatasetRef.of(claim.dataset),
            by=claim.by,
            facet=claim.facet,
            at=claim.at,
            body=JSON(dict(claim.body)),
        )


@declare.object_type()
class ClaimQuery:
    @declare.resolver(
        description="What is claimed of a dataset under any of its names, or of all, by dataset."
    )
    def claims(
        self, info: Info, dataset: DatasetName | None = None, first: int | None = 50, after: str | None = None
    ) -> Connection[Claim]:
        page = ask(info, claims.claims, dataset.key() if dataset else None, first, after)
        cursors = [claims.cursor(claim) for claim in page.items]
        return connection(map(Claim.of, page.items), cursors, page.has_next, after)
