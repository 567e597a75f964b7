"""The subscription to runs: what becomes of them, soon after their events are stored."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from datetime import datetime

import strawberry
from starlette.concurrency import run_in_threadpool
from strawberry.types import Info

from headwater_backend.domain import facet_readers, model
from headwater_backend.domain.model import DatasetKey, JobKey, RunKey
from headwater_backend.domain.patterns import DatasetPattern, any_names
from headwater_backend.domain.roles import Permission
from headwater_backend.ports import LineageStore
from headwater_backend.questions import runs
from headwater_backend.server.feed import SECONDS, Feed
from headwater_graphql.context import Context
from headwater_graphql.fields.types import JobRef


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
            error=facet_readers.error(run.facets),
            missed=missed,
        )


@strawberry.type
class Subscription:
    @strawberry.subscription(
        description="Runs of jobs that fit (`*` is any text), soon after events of them were stored, by whichever "
        "server over the same store or by a command. A run of which several came at once is told once, as it is then."
    )
    async def run_news(
        self, info: Info[Context, None], namespace: str | None = None, job: str | None = None
    ) -> AsyncGenerator[RunNews, None]:
        pattern = (DatasetPattern(namespace, job),)

        def wanted(key: JobKey) -> bool:
            return any_names(pattern, DatasetKey(*key))

        feed = info.context.feed or Feed(info.context.store)
        async with feed.reading(wanted) as reader:
            await run_in_threadpool(info.context.require_still, Permission.ASK)
            while True:
                keys, missed = await reader.next()
                await run_in_threadpool(info.context.require_still, Permission.ASK)
                found = await _looked_up(info.context.store, keys)
                for key in keys:
                    if key in found:
                        yield RunNews.of(found[key], missed)
                        missed = 0


async def _looked_up(store: LineageStore, keys: Sequence[RunKey]) -> Mapping[RunKey, model.Run]:
    """The runs of these keys, without those that were forgotten meanwhile.

    Neo4j's indexes follow a commit one after the other: a new run may be found a moment after the entry that names it.
    """
    found = await run_in_threadpool(runs.known, store, keys)
    if len(found) < len(keys):
        await asyncio.sleep(SECONDS)
        found = await run_in_threadpool(runs.known, store, keys)
    return found
