"""A proposal of what a user function does, its state, and how both stand in decisions (``records.DecisionMade``)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import Enum
from hashlib import sha256
from typing import Any, Final, NamedTuple

from headwater_backend.domain.model import JobKey
from headwater_backend.domain.records import DecisionMade
from headwater_facets.canonical_json import canonical

SUBJECT: Final = "function "
"""The beginning of the subjects of decisions about proposals; the proposal's id follows."""


class State(Enum):
    """What a steward has decided of a proposal; PROPOSED where nothing is decided."""

    PROPOSED = "PROPOSED"
    ACCEPTED = "ACCEPTED"
    REFUSED = "REFUSED"


@dataclass(frozen=True, slots=True)
class CodeSeen:
    """The code that a proposal is about: a digest of its instructions, its file's name and its first line."""

    digest: str
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a function of a job may do, in the notation of declarations. ``checks`` is what code and trials say of it.

    ``function`` is its name in the job's plans.
    """

    job: JobKey
    function: str
    parameters: tuple[str, ...]
    reads: tuple[str, ...]
    writes: str | None
    code: CodeSeen
    checks: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """A digest of all but the checks: the same answer about the same code is one proposal."""
        parts = {name: value for name, value in asdict(self).items() if name != "checks"}
        return sha256(canonical(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]

    def content(self, state: State) -> str:
        """The content of a decision that puts it into that state."""
        return canonical({"state": state.value, **asdict(self)})


class Stated(NamedTuple):
    """A proposal in its present state, with all decisions about it, newest first."""

    proposal: Proposal
    state: State
    decisions: tuple[DecisionMade, ...]


def state_of(made: DecisionMade) -> State:
    """The state into which a decision puts its proposal."""
    return State(json.loads(made.content)["state"])


def stated(decisions: Iterable[DecisionMade]) -> dict[str, Stated]:
    """All proposals by their ids, the one of the newest decision first; decisions about others are skipped."""
    found: dict[str, list[DecisionMade]] = {}
    for made in sorted(filter(_is_about_functions, decisions), key=lambda made: made.key[1:], reverse=True):
        found.setdefault(made.subject.removeprefix(SUBJECT), []).append(made)
    return {id_: Stated(_proposal(all_[0]), state_of(all_[0]), tuple(all_)) for id_, all_ in found.items()}


def _is_about_functions(made: DecisionMade) -> bool:
    return made.subject.startswith(SUBJECT)


def _proposal(made: DecisionMade) -> Proposal:
    known: dict[str, Any] = json.loads(made.content)
    return Proposal(
        job=JobKey(*known["job"]),
        function=known["function"],
        parameters=tuple(known["parameters"]),
        reads=tuple(known["reads"]),
        writes=known["writes"],
        code=CodeSeen(**known["code"]),
        checks=tuple(known["checks"]),
    )
