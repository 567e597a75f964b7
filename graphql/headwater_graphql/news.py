"""The subscription to runs: what becomes of them, as their events are stored."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from datetime import datetime

import strawberry
from starlette.concurrency import run_in_threadpool
from strawberry.types import Info

from headwater_backend import model, said
from headwater_backend.model import DatasetKey, JobKey
from headwater_backend.patterns import DatasetPattern, any_names
from headwater_backend.questions import runs
from headwater_graphql.context import Context
from headwater_graphql.types import JobRef


@strawberry.type(description="A run, as it stands after an event of it was stored.")
class RunNews:
    run_id: str
    job: JobRef
    state: str | None
    started_at: datetime | None
    ended_at: datetime | None
    error: str | None
    missed: int = strawberry.field(
        description="How many were left out before this one, because they were not read in time."
    )

    @classmethod
    def of(cls, run: model.Run, missed: int) -> RunNews:
        return cls(
            run_id=run.run_id,
            job=JobRef.of(run.job),
            state=run.state,
            started_at=run.started_at,
            ended_at=run.ended_at,
            error=said.error(run.facets),
            missed=missed,
        )


@strawberry.type
class Subscription:
    @strawberry.subscription(
        description="Runs of jobs that fit (`*` is any text), each time that this server stores an event of one as it "
        "is sent: what other servers store is not told, nor what was kept in a journal."
    )
    async def run_news(
        self, info: Info[Context, None], namespace: str | None = None, job: str | None = None
    ) -> AsyncGenerator[RunNews, None]:
        pattern = (DatasetPattern(namespace, job),)

        def wanted(key: JobKey) -> bool:
            return any_names(pattern, DatasetKey(*key))

        with info.context.feed.reading(wanted) as reader:
            while True:
                keys, missed = await reader.next()
                found = await run_in_threadpool(runs.known, info.context.store, keys)
                for key in keys:
                    if key in found:
                        yield RunNews.of(found[key], missed)
                        missed = 0
