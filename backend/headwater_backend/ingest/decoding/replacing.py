"""Whether a write left data of before in its output.

Lineage of earlier runs stays current until a write replaces the whole content (``in_force.current``). Two facets of the
output say so: ``headwater_extent`` is exact, and ``lifecycleStateChange`` lists OVERWRITE and TRUNCATE. Agents in
Spark report each overwrite; any other write of theirs is an append, and so is what they call CREATE where the table
was there already. Other producers do not, and their jobs are taken to make their outputs anew.

A run that reads its own output and replaces it carries over what was there: a load that is repeated each night on top
of what the nights before loaded.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Final

from headwater_backend.domain.facet_readers import (
    Facets,
    extent_state,
    found_data,
    replaced,
    state_change,
    states_read,
)
from headwater_backend.domain.model import DatasetKey
from headwater_backend.domain.node_keys import dataset_part, named_text
from headwater_backend.domain.records import BASE, EMPTY, FOUND, READ, STATE, Version
from headwater_facets.kinds import Replaced

ANEW: Final = ("OVERWRITE", "TRUNCATE")
"""The changes after which nothing of before is taken to be left, where no extent is known."""


def keeps_content(output: Facets, job: Facets) -> bool:
    """Whether a write with these facets of its output and its job left data of before in the output."""
    if extent := replaced(output):
        return extent != Replaced.WHOLE
    change, _ = state_change(output.get("lifecycleStateChange")) or ("", None)
    return job.get("jobType", {}).get("integration") == "SPARK" and change not in ANEW


def notes_of_read(input_: Facets) -> Iterator[tuple[str, str]]:
    """What is noted of the contents of an input with these facets: the states in which it was read."""
    states = states_read(input_)
    if states and not any(states):
        yield EMPTY, ""
    yield from ((READ, state) for state in states if state)


def content_notes(output: Facets) -> Iterator[tuple[str, str]]:
    """What is noted of the contents of an output with these facets: what it is, and the state.

    Where a run says in what state it found the data, that is compared; else, that there were some. Of what it replaced
    as a whole, nothing is left.
    """
    base, state = extent_state(output, "base"), extent_state(output, "state")
    if replaced(output) == Replaced.WHOLE:
        pass
    elif base:
        yield BASE, base
    elif found_data(output):
        yield FOUND, ""
    if state:
        yield STATE, state


def carries_over(version: Version, names: Collection[str], inputs: Iterable[DatasetKey]) -> bool:
    """Whether a write with that lineage brings what was in the output, which has these ``names``, to the output again;
    also if it may, because its lineage does not list all that it made of the ``inputs``.
    """
    if any(edge.direct and dataset_part(edge.source) in names for edge in version.edges):
        return True
    unknown = not version.rank or version.gaps
    return bool(unknown) and any(named_text(key) in names for key in inputs)
