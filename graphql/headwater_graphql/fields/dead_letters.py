"""Dead letters in GraphQL: listing and replaying them."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

from headwater_backend.domain import dead_letters as letters
from headwater_backend.domain.moments import moment
from headwater_backend.domain.roles import Permission
from headwater_backend.ingest import dead_letters
from headwater_backend.ingest.letter_changes import Change
from headwater_backend.ingest.sender import Sender
from headwater_graphql.context import Info, run_question
from headwater_graphql.engine import definitions
from headwater_graphql.engine.connections import Connection, connection
from headwater_graphql.engine.definitions import JSON
from headwater_graphql.engine.root_fields import needs

if TYPE_CHECKING:
    from headwater_backend.ingest.service import Outcome


@definitions.object_type(
    description="An event that could not be stored; see `deadLetter` for the event itself."
)
class DeadLetter:
    key: str
    received: datetime
    origin: str = definitions.field(description="The sender, or the position in Kafka.")
    code: str = definitions.field(description="The error code of the latest attempt to store it.")
    pointer: str = definitions.field(description="The JSON pointer to the error in the event.")
    detail: str
    about: str = definitions.field(description="Its job or dataset, and its time.")

    @classmethod
    def of(cls, letter: letters.ListedLetter) -> DeadLetter:
        return cls(**_fields(letter))


@definitions.object_type(description="An event that could not be stored, in full.")
class WholeDeadLetter(DeadLetter):
    event: JSON | None = definitions.field(
        description="The original event; null if it was not a JSON object, which is not kept."
    )

    @classmethod
    def whole(cls, letter: letters.DeadLetter) -> WholeDeadLetter:
        event = None if letter.body is None else JSON(letter.event())
        return cls(**_fields(letter.listed()), event=event)


def _fields(letter: letters.ListedLetter) -> dict[str, Any]:
    return {**asdict(letter), "received": moment(letter.received)}


@definitions.object_type(description="The result of replaying a dead letter.")
class ReplayedDeadLetter:
    key: str
    stored: bool = definitions.field(description="Whether it was stored and removed from the dead letters.")
    code: str | None = definitions.field(
        description="The error code, or NOTHING_KEPT if the event was not kept."
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


@definitions.input_type(description="A change of an event.")
class LetterChange:
    pointer: str = definitions.field(description="A JSON pointer, such as /job/namespace.")
    value: str | None = definitions.field(description="JSON text; null removes it.", default=None)

    def change(self) -> Change:
        return Change(self.pointer, self.value)


@definitions.object_type()
class DeadLetterQuery:
    @definitions.resolver(description="Events that could not be stored, oldest first.")
    @needs(Permission.MEND)
    def dead_letters(
        self, info: Info, first: int | None = 50, after: str | None = None
    ) -> Connection[DeadLetter]:
        page = run_question(info, dead_letters.letters, first, after)
        cursors = [dead_letters.cursor(letter) for letter in page.items]
        return connection(map(DeadLetter.of, page.items), cursors, page.has_next, after)

    @definitions.resolver(description="The dead letter with that key.")
    @needs(Permission.MEND, one_thing=True)
    def dead_letter(self, info: Info, key: str) -> WholeDeadLetter:
        return WholeDeadLetter.whole(run_question(info, dead_letters.letter, key))


@definitions.object_type()
class DeadLetterMutation:
    @definitions.resolver(
        description="Try to store up to 100 dead letters again, separately; stewards only those of their namespaces."
    )
    @needs(Permission.MEND, audited_as="replay")
    def replay_dead_letters(self, info: Info, keys: list[str]) -> list[ReplayedDeadLetter]:
        context = info.context
        origin = Sender(context.caller, context.request_id)
        tried = run_question(info, dead_letters.replay, keys, context.event_limits, origin)
        return [ReplayedDeadLetter.of(outcome) for outcome in tried]

    @definitions.resolver(
        description="Store the event of a dead letter with up to 100 changes, which the audit log keeps; stewards only "
        "in their namespaces. If it is refused, the letter stays as it was received."
    )
    @needs(Permission.MEND, audited_as="mend dead letter")
    def mend_dead_letter(self, info: Info, key: str, changes: list[LetterChange]) -> ReplayedDeadLetter:
        context = info.context
        wanted = [each.change() for each in changes]
        origin = Sender(context.caller, context.request_id)
        outcome = run_question(info, dead_letters.mend, key, wanted, context.event_limits, origin)
        return ReplayedDeadLetter.of(outcome)
