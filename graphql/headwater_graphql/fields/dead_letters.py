"""Dead letters in GraphQL: looking at them, and trying them again."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

from headwater_backend.domain import dead_letters as kept
from headwater_backend.domain.moments import moment
from headwater_backend.ingest import dead_letters
from headwater_backend.ingest.origin import Origin
from headwater_graphql.context import Info, ask
from headwater_graphql.engine import declare
from headwater_graphql.engine.connections import Connection, connection
from headwater_graphql.engine.declare import JSON

if TYPE_CHECKING:
    from headwater_backend.ingest.service import Outcome


@declare.object_type(description="An event that was taken in and could not be stored, as a list tells of it.")
class DeadLetter:
    key: str
    received: datetime
    origin: str = declare.field(description="Who sent it, or where in Kafka it came from.")
    code: str = declare.field(description="Why it was not stored the last time that it was tried.")
    pointer: str = declare.field(description="The JSON pointer of the place in the event.")
    detail: str
    about: str = declare.field(description="Its job or dataset, and its time.")

    @classmethod
    def of(cls, letter: kept.ListedLetter) -> DeadLetter:
        return cls(**_told(letter))


@declare.object_type(description="An event that was taken in and could not be stored, in full.")
class WholeDeadLetter(DeadLetter):
    event: JSON | None = declare.field(
        description="As it came; null where it is no JSON object, of which nothing is kept."
    )

    @classmethod
    def whole(cls, letter: kept.DeadLetter) -> WholeDeadLetter:
        event = None if letter.body is None else JSON(letter.event())
        return cls(**_told(letter.listed()), event=event)


def _told(letter: kept.ListedLetter) -> dict[str, Any]:
    return {**asdict(letter), "received": moment(letter.received)}


@declare.object_type(description="What became of a dead letter that was tried again.")
class ReplayedDeadLetter:
    key: str
    stored: bool = declare.field(description="It is a dead letter no more.")
    code: str | None = declare.field(
        description="Why it is not stored; NOTHING_KEPT where there is no event."
    )
    detail: str | None

    @classmethod
    def of(cls, outcome: Outcome) -> ReplayedDeadLetter:
        error = outcome.error
        return cls(
            key=outcome.dead_letter or "",
            stored=outcome.stored,
            code=error.code if error else None,
            detail=error.message if error else None,
        )


@declare.object_type()
class DeadLetterQuery:
    @declare.resolver(description="Events that could not be stored, the oldest first.")
    def dead_letters(
        self, info: Info, first: int | None = 50, after: str | None = None
    ) -> Connection[DeadLetter]:
        page = ask(info, dead_letters.letters, first, after)
        cursors = [dead_letters.cursor(letter) for letter in page.items]
        return connection(map(DeadLetter.of, page.items), cursors, page.has_next, after)

    @declare.resolver(description="The dead letter of that key.")
    def dead_letter(self, info: Info, key: str) -> WholeDeadLetter:
        return WholeDeadLetter.whole(ask(info, dead_letters.letter, key))


@declare.object_type()
class DeadLetterMutation:
    @declare.resolver(
        description="Try to store up to 100 dead letters again, each by itself; a steward those of its namespaces."
    )
    def replay_dead_letters(self, info: Info, keys: list[str]) -> list[ReplayedDeadLetter]:
        context = info.context
        origin = Origin(context.caller, context.request_id)
        tried = ask(info, dead_letters.replay, keys, context.event_limits, origin)
        return [ReplayedDeadLetter.of(outcome) for outcome in tried]
