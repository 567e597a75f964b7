"""Subscription to run updates, sent soon after events are stored."""

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
from headwater_backend.server.run_feed import SECONDS, RunFeed
from headwater_graphql.context import RequestContext
from headwater_graphql.engine.root_fields import needs
from headwater_graphql.fields.types import JobRef


@strawberry.type(description="The state of a run after one of its events was stored.")
class RunNews:
    run_id: str
    job: JobRef
    state: str | None
    started_at: datetime | None
    ended_at: datetime | None
    error: str | None
    missed: int = strawberry.field(
        description="Number of updates skipped before this one, because the client was too slow."
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
        description="Runs of matching jobs (`*` is any text), soon after their events are stored, by any "
        "server of the same store or by a command. Several updates at once are sent as one, with the latest state. "
        "With `ready`, null comes first: of what is stored after it was sent, nothing is missed."
    )
    @needs(Permission.ASK)
    async def run_news(
        self,
        info: Info[RequestContext, None],
        namespace: str | None = None,
        job: str | None = None,
        ready: bool = False,
    ) -> AsyncGenerator[RunNews | None, None]:
        pattern = (DatasetPattern(namespace, job),)

        def wanted(key: JobKey) -> bool:
            return any_names(pattern, DatasetKey(*key))

        feed = info.context.feed or RunFeed(info.context.store)
        async with feed.subscribe(wanted) as reader:
            await run_in_threadpool(info.context.require_still, Permission.ASK)
            if ready:
                yield None
            while True:
                keys, missed = await reader.next()
                await run_in_threadpool(info.context.require_still, Permission.ASK)
                found = await _read_runs(info.context.store, keys)
                for key in keys:
                    if key in found:
                        yield RunNews.of(found[key], missed)
                        missed = 0


async def _read_runs(store: LineageStore, keys: Sequence[RunKey]) -> Mapping[RunKey, model.Run]:
    """Return the runs with these keys, without those deleted meanwhile.

    Neo4j updates its indexes one after the other after a commit, so a new run may not be visible yet when its log entry
    is.
    """
    found = await run_in_threadpool(runs.known, store, keys)
    if len(found) < len(keys):
        await asyncio.sleep(SECONDS)
        found = await run_in_threadpool(runs.known, store, keys)
    return found
