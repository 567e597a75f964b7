"""The questions, by subject: what values were made of, what became of records, whose they are, and what jobs use."""

from __future__ import annotations

from strawberry.extensions import MaxTokensLimiter
from strawberry.tools import merge_types

from headwater_cli.records.serving.backward import Backward
from headwater_cli.records.serving.forward import Forward
from headwater_cli.records.serving.persons import Persons
from headwater_cli.records.serving.used import Used
from headwater_graphql.engine.errors import ErrorCodes, QuietSchema

Query = merge_types("Query", (Backward, Forward, Persons, Used))

schema = QuietSchema(Query, extensions=[ErrorCodes, lambda: MaxTokensLimiter(max_token_count=2_000)])
