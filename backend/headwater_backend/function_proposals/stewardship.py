"""Stewards keep proposals of what functions do, list them, and accept, refuse or reopen them.

Of a function of a job, one mapping can be accepted: a job that is configured with it knows no other by that name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from headwater_backend.domain.audit_log import AuditNote
from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.model import JobKey
from headwater_backend.domain.moments import micros
from headwater_backend.domain.records import Batch, DecisionMade
from headwater_backend.function_proposals.proposal import SUBJECT, Proposal, State, Stated, stated
from headwater_backend.names.checks import require_few, require_namespaces, require_reason
from headwater_backend.names.decisions import time_after
from headwater_backend.names.stewardship import Steward
from headwater_backend.ports import CataloguedRuns, LineageStore, StewardDecisions
from headwater_backend.questions.catalog.user_functions import functions_of

ACTION: Final = "functions"
"""The action of an entry of the audit log about decisions about functions."""
MAX_CHARACTERS: Final = 16_384
"""Of a proposal as JSON."""
MAX_KEPT: Final = 1_000
"""Proposals of a job."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The wishes of a steward: the ids of proposals to accept, to refuse, and to leave undecided again."""

    accepted: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    reopened: tuple[str, ...] = ()

    def states(self) -> dict[str, State]:
        """The wished state of each. Raises ``BadQuestion``."""
        found: dict[str, State] = {}
        for ids, state in (
            (self.accepted, State.ACCEPTED),
            (self.refused, State.REFUSED),
            (self.reopened, State.PROPOSED),
        ):
            for id_ in ids:
                if found.setdefault(id_, state) is not state:
                    raise BadQuestion(f"{id_} is decided twice, in different ways", "decide it once")
        return found


def proposals(
    store: StewardDecisions, job: JobKey | None = None, states: Sequence[State] | None = None
) -> list[Stated]:
    """The proposals of a job or of all, in those states or in any, the one of the newest decision first."""
    return [
        each
        for each in stated(store.decisions()).values()
        if (job is None or each.proposal.job == job) and (states is None or each.state in states)
    ]


def propose(
    store: LineageStore, proposed: Sequence[Proposal], steward: Steward, *, dry_run: bool = False
) -> list[Stated]:
    """Keep proposals, and return those that were not kept yet. Raises ``BadQuestion`` or ``Forbidden``."""
    require_reason(steward.reason)
    require_namespaces({each.job.namespace for each in proposed}, steward.caller)
    _require_functions(store, proposed)
    wanted = {each.id: each for each in proposed}

    def made_of(known: Mapping[str, Stated]) -> list[Stated]:
        new = [each for id_, each in wanted.items() if id_ not in known]
        if new:
            _require_room([*(each.proposal for each in known.values()), *new])
        return [_made(each, State.PROPOSED, None, steward) for each in new]

    return _decide(store, made_of, steward, dry_run=dry_run)


def decide(store: LineageStore, wanted: Wanted, steward: Steward, *, dry_run: bool = False) -> list[Stated]:
    """Put the wishes in force, and return the proposals whose state changes.

    Raises ``BadQuestion`` or ``Forbidden``.
    """
    require_reason(steward.reason)
    states = wanted.states()

    def made_of(known: Mapping[str, Stated]) -> list[Stated]:
        if unknown := sorted(states.keys() - known.keys()):
            raise BadQuestion(f"no proposal {unknown[0]}", "`headwater functions proposals` lists them")
        require_namespaces({known[id_].proposal.job.namespace for id_ in states}, steward.caller)
        found = [
            _made(known[id_].proposal, state, known[id_].decisions[0], steward)
            for id_, state in states.items()
            if known[id_].state is not state
        ]
        _require_one_each({**known, **{each.proposal.id: each for each in found}})
        return found

    return _decide(store, made_of, steward, dry_run=dry_run)


def _decide(
    store: LineageStore,
    made_of: Callable[[Mapping[str, Stated]], list[Stated]],
    steward: Steward,
    *,
    dry_run: bool,
) -> list[Stated]:
    made: list[Stated] = []

    def batch(decisions: Sequence[DecisionMade]) -> Batch:
        made[:] = made_of(stated(decisions))
        require_few([each.decisions[0] for each in made])
        notes = tuple(_note(each, steward) for each in made)
        return Batch(decisions=tuple(each.decisions[0] for each in made), notes=notes)

    store.decide(batch, dry_run=dry_run)
    return made


def _made(proposal: Proposal, state: State, known: DecisionMade | None, steward: Steward) -> Stated:
    time = time_after(known, micros(steward.now))
    content = proposal.content(state)
    decision = DecisionMade(SUBJECT + proposal.id, time, content, steward.caller.name, steward.reason)
    return Stated(proposal, state, (decision,))


def _require_functions(store: CataloguedRuns, proposed: Sequence[Proposal]) -> None:
    """Raise ``BadQuestion`` for functions that the job does not call, and for what is too long to be kept."""
    jobs = store.get_jobs(sorted({each.job for each in proposed}))
    for each in proposed:
        known = functions_of(jobs[each.job]) if each.job in jobs else ()
        if all(found.function.name != each.function for found in known):
            name = " ".join(each.job)
            raise BadQuestion(
                f"{name!r} calls no function {each.function!r}",
                "`headwater functions list` has those of jobs",
            )
        if len(each.content(State.PROPOSED)) > MAX_CHARACTERS:
            raise BadQuestion(
                f"the proposal for {each.function!r} is longer than {MAX_CHARACTERS} characters"
            )


def _require_room(after: Iterable[Proposal]) -> None:
    for job, count in Counter(each.job for each in after).items():
        if count > MAX_KEPT:
            raise BadQuestion(f"{' '.join(job)!r} has more than {MAX_KEPT:,} proposals", "propose fewer")


def _require_one_each(after: Mapping[str, Stated]) -> None:
    """Raise ``BadQuestion`` where two mappings would be accepted of one function."""
    accepted = Counter(
        (each.proposal.job, each.proposal.function) for each in after.values() if each.state is State.ACCEPTED
    )
    for (_, function), count in accepted.items():
        if count > 1:
            raise BadQuestion(f"another mapping of {function!r} is accepted", "reopen that one")


def _note(made: Stated, steward: Steward) -> AuditNote:
    proposal = made.proposal
    details = {
        "job": " ".join(proposal.job),
        "function": proposal.function,
        "reads": ", ".join(proposal.reads),
        "id": proposal.id,
        "reason": steward.reason,
    }
    return AuditNote(steward.caller.name, ACTION, made.state.value.lower(), steward.request, details)
