"""The user functions of all jobs: from where it is known what they do, and where code and declaration differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from headwater_backend.domain import facet_readers, pages
from headwater_backend.domain.model import Job, JobKey
from headwater_backend.domain.pages import MAX_PAGE, Page, page, size
from headwater_backend.ports import CataloguedRuns

if TYPE_CHECKING:
    from headwater_facets.facets import UserFunction


class FunctionOfJob(NamedTuple):
    """A user function of a job, by its place among the job's."""

    job: JobKey
    number: int
    function: UserFunction


def user_functions(
    store: CataloguedRuns,
    text: str | None = None,
    known: Sequence[str] | None = None,
    *,
    differing: bool = False,
    first: int | None = None,
    after: str | None = None,
) -> Page[FunctionOfJob]:
    """The functions of jobs whose namespace or name contains the text, in key order. Raises ``BadQuestion``.

    ``known`` has words of ``kinds.Known``; ``differing`` leaves those whose code does something else than is declared.
    """
    wanted = size(first, "functions")
    place = _place(after)
    found = (
        each
        for each in _functions(store, text or "", place)
        if (known is None or each.function.known in known) and (each.function.differences or not differing)
    )
    return page(list(islice(found, wanted + 1)), wanted)


def cursor(found: FunctionOfJob) -> str:
    """The cursor of the list after this function."""
    return pages.cursor(*found.job, found.number)


def _place(after: str | None) -> tuple[JobKey, int] | None:
    if after is None:
        return None
    namespace, name, number = pages.read_cursor(after, (str, str, int))
    return JobKey(namespace, name), number


def _functions(store: CataloguedRuns, text: str, place: tuple[JobKey, int] | None) -> Iterator[FunctionOfJob]:
    """All functions after a place; the job at the place may have more of them."""
    last: JobKey | None = None
    if place is not None:
        last, number = place
        yield from (f for f in _all_of(store, [last]) if f.number > number)
    while keys := store.jobs_like(text, MAX_PAGE, last):
        yield from _all_of(store, keys)
        last = keys[-1]


def _all_of(store: CataloguedRuns, keys: Sequence[JobKey]) -> Iterator[FunctionOfJob]:
    jobs = store.get_jobs(keys)
    yield from (each for key in keys if key in jobs for each in functions_of(jobs[key]))


def functions_of(job: Job) -> Iterator[FunctionOfJob]:
    """The functions of a job, in the order of its facet."""
    found = facet_readers.user_functions(job.facets)
    yield from (FunctionOfJob(job.key, number, each) for number, each in enumerate(found))
