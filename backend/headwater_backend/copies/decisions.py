"""Stewards' decisions about probable copies, and those in force.

A decision's subject is the pair: the dataset, and what it may be a copy of. Its content confirms or refuses that; an
empty content revokes the decision, and the pair is a proposal again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from headwater_backend.domain.model import DatasetKey
from headwater_backend.domain.node_keys import dataset_of, dataset_part, named_text
from headwater_backend.domain.records import DecisionMade
from headwater_backend.names.decisions import newest
from headwater_backend.ports.decisions import Decisions
from headwater_facets.canonical_json import canonical

COPY: Final = "copy "
"""The beginning of the subjects of decisions about copies."""


@dataclass(frozen=True, slots=True, order=True)
class Pair:
    """A dataset, and another one that it may be a copy of."""

    dataset: DatasetKey
    original: DatasetKey

    @property
    def subject(self) -> str:
        return COPY + named_text(self.dataset) + named_text(self.original)

    @classmethod
    def of_subject(cls, subject: str) -> Pair:
        """The pair that a subject is about. Raises ``ValueError``."""
        text = subject.removeprefix(COPY)
        first = dataset_part(text)
        return cls(dataset_of(first), dataset_of(text[len(first) :]))


def content(*, confirmed: bool) -> str:
    """The content of a decision."""
    return canonical({"confirmed": confirmed})


def is_about_copies(made: DecisionMade) -> bool:
    """Whether the decision is about a copy; an unreadable subject is about nothing."""
    if not made.subject.startswith(COPY):
        return False
    try:
        Pair.of_subject(made.subject)
    except ValueError:
        return False
    return True


def is_confirmed(made: DecisionMade) -> bool | None:
    """Whether the decision confirms the copy or refuses it; None where it revokes a decision, or cannot be read."""
    try:
        found = json.loads(made.content) if made.content else None
    except ValueError:
        return None
    known = found.get("confirmed") if isinstance(found, dict) else None
    return known if isinstance(known, bool) else None


def in_force(decisions: Iterable[DecisionMade]) -> Mapping[str, DecisionMade]:
    """The newest decision about each pair, by subject; also those that revoke one."""
    return newest(filter(is_about_copies, decisions))


def decided_pairs(decisions: Decisions) -> frozenset[Pair]:
    """The pairs that are confirmed or refused, under the present names of datasets."""
    return decisions.derived(_decided)


def _decided(decisions: Decisions) -> frozenset[Pair]:
    pairs = (Pair.of_subject(made.subject) for made in in_force(decisions).values() if made.content)
    return frozenset(Pair(*(_present(key, decisions) for key in (p.dataset, p.original))) for p in pairs)


def _present(key: DatasetKey, decisions: Decisions) -> DatasetKey:
    name = decisions.canonical.get(named_text(key))
    return key if name is None else dataset_of(name)
