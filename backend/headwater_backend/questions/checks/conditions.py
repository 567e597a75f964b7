"""Predicates that are always true, always false, or exclude nothing but missing values: by themselves, beside the other
conditions of their rows, and given what arrives.

What arrives at a dataset is known where all that writes it is known: then each of its rows was made by one of the
populations of its writers, and has passed what that population's rows have. Conditions are carried on along jobs that
read rows which were made in one way.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import Final, NamedTuple

from headwater_backend.active.carrying import Fact, Reason, along, written
from headwater_backend.active.deciding import Verdict, decide, minimal
from headwater_backend.active.passages import Step
from headwater_backend.active.reading import Of, Passed, Population
from headwater_backend.active.regions import ALL, single, union
from headwater_backend.active.terms import TRUE, Applied, Constant, Term, Variable, parts, variables
from headwater_backend.active.ways import Exclusion
from headwater_backend.active.words import because
from headwater_backend.domain import deadline
from headwater_backend.domain.model import DatasetKey, JobKey, NodeKey
from headwater_backend.questions.checks.whole import Check, Found

Facts = tuple[Fact, ...]

MOST_CASES: Final = 20
"""The ways in which rows of a dataset may have been made; of more, nothing is concluded."""
_FALSE: Final = Constant(False, "boolean")


class _Judgement(NamedTuple):
    check: Check
    because: tuple[str, ...]


def check_conditions(steps: Sequence[Step], foreign: Collection[DatasetKey]) -> Iterator[Found]:
    """The predicates that decide nothing, each once for a job and its output.

    ``foreign`` are the datasets that may have rows which no step has made.
    """
    arriving = _Arriving(steps, foreign)
    judged: dict[tuple[JobKey, DatasetKey, str], list[_Judgement | None]] = defaultdict(list)
    for step in steps:
        for population in step.populations or ():
            deadline.check()
            for passed in population.passed:
                judged[step.job, step.output, passed.sql].append(_judged(step, population, passed, arriving))
    for (job, output, sql), found in judged.items():
        # The same text in several populations, of unions or of several runs, decides something if it does in one.
        first = found[0]
        if first is not None and all(each is not None and each.check is first.check for each in found):
            yield Found(first.check, NodeKey(output, ()), job, sql, first.because)


def _judged(step: Step, population: Population, passed: Passed, arriving: _Arriving) -> _Judgement | None:
    if _excluded([passed.term]):
        return _Judgement(Check.ALWAYS_FALSE, ("no values meet it",))
    if _always(passed.term, ()):
        return _Judgement(Check.ALWAYS_TRUE, ("all values meet it",))
    if _is_weak(passed.term):
        return _Judgement(Check.WEAK_FILTER, ("only missing values do not meet it",))
    others = tuple(_fact(each, step.job) for each in population.passed if each is not passed)
    return _beside(_fact(passed, step.job), (others,)) or _beside(
        _fact(passed, step.job), arriving.at(step, population, passed)
    )


def _beside(own: Fact, cases: Sequence[Facts]) -> _Judgement | None:
    """Whether the condition is always true, or never, beside the facts of each case in which there are rows."""
    possible = [each for each in cases if not _excluded([fact.term for fact in each])]
    if not possible or not all(possible):
        return None
    if all(_excluded([own.term, *(fact.term for fact in each)]) for each in possible):
        return _Judgement(
            Check.ALWAYS_FALSE, tuple(dict.fromkeys(_contradiction([own, *each]) for each in possible))
        )
    if all(_always(own.term, each) for each in possible):
        return _Judgement(Check.ALWAYS_TRUE, tuple(dict.fromkeys(_required(own, each) for each in possible)))
    return None


def _fact(passed: Passed, job: JobKey) -> Fact:
    return Fact(passed.term, (Reason(job, passed.sql),))


def _excluded(terms: Collection[Term]) -> bool:
    return decide(frozenset(terms)) is Verdict.EXCLUDED


def _always(term: Term, facts: Facts) -> bool:
    """Whether the term is true of all rows of which the facts hold."""
    known = [fact.term for fact in facts]
    return all(_excluded([each, *known]) for each in _not_true(term))


def _not_true(term: Term) -> tuple[Term, ...]:
    """Conditions of which one holds if the term is false or NULL."""
    found = single(term)
    named = next((each for each in parts(term) if isinstance(each, Variable)), None)
    if found is None or named is None or union(found.cases.true, found.cases.false) != ALL:
        return (Applied("case", (term, _FALSE, TRUE)),)
    null = () if found.cases.null is True else (Applied("isnull", (named,)),)
    return (Applied("not", (term,)), *null)


def _is_weak(term: Term) -> bool:
    """Whether the term is true of all rows without missing values, and does not just say that there are none."""
    named = [each for each in parts(term) if isinstance(each, Variable)]
    says_so = isinstance(term, Applied) and term.op in ("isnotnull", "isnull")
    if says_so or not named or any(not isinstance(each.name, Of) for each in named):
        return False
    there = tuple(Fact(Applied("isnotnull", (each,)), ()) for each in dict.fromkeys(named))
    return not _stated_as_not_null(term) and _always(term, there)


def _stated_as_not_null(term: Term) -> bool:
    """Whether the term is of IS NOT NULL and NOT IS NULL alone."""
    match term:
        case Applied(op="isnotnull"):
            return True
        case Applied(op="not", args=(Applied(op="isnull"),)):
            return True
        case Applied(op="and" | "or", args=args):
            return all(map(_stated_as_not_null, args))
        case _:
            return False


def _contradiction(facts: Sequence[Fact]) -> str:
    of = {fact.term: fact for fact in reversed(facts)}
    return because(Exclusion(tuple(of[term] for term in minimal([fact.term for fact in facts]))))


def _required(own: Fact, facts: Facts) -> str:
    """What makes the condition true already."""
    needed: dict[Fact, None] = {}
    for each in _not_true(own.term):
        core = minimal([each, *(fact.term for fact in facts)])
        needed.update(dict.fromkeys(fact for fact in facts if fact.term in core))
    return because(Exclusion(tuple(needed))).replace("No row can pass:", "All rows have passed:")


class _Arriving:
    """What holds of the rows of datasets, case by case."""

    def __init__(self, steps: Sequence[Step], foreign: Collection[DatasetKey]) -> None:
        self._steps: dict[DatasetKey, list[Step]] = defaultdict(list)
        for step in steps:
            self._steps[step.output].append(step)
        self._foreign = foreign
        self._known: dict[DatasetKey, tuple[Facts, ...]] = {}

    def at(self, step: Step, population: Population, passed: Passed) -> tuple[Facts, ...]:
        """What holds of the row that a condition speaks of, in each way in which it may have been made; nothing if it
        speaks of several rows, or that is not known.
        """
        rows = {name.row for name in variables(passed.term) if isinstance(name, Of)}
        if len(rows) != 1:
            return ()
        return self._of_row(step, population, rows.pop())

    def _of_row(self, step: Step, population: Population, row: int) -> tuple[Facts, ...]:
        known = population.rows.get(row)
        if known is None or not known.kept:
            return ()
        cases: list[Facts] = []
        for dataset in known.datasets:
            found = self._of(dataset)
            if not found:
                return ()
            cases += [self._read(facts, step, population, row) for facts in found]
        return tuple(cases) if len(cases) <= MOST_CASES else ()

    @staticmethod
    def _read(facts: Facts, step: Step, population: Population, row: int) -> Facts:
        return along(facts, population, step.job, row, kept=True)[: len(facts)]

    def _of(self, dataset: DatasetKey) -> tuple[Facts, ...]:
        """What holds of each row of a dataset, case by case; nothing if that is not known."""
        if dataset not in self._known:
            self._known[dataset] = ()  # what is made of itself is not known
            self._known[dataset] = self._made(dataset)
        return self._known[dataset]

    def _made(self, dataset: DatasetKey) -> tuple[Facts, ...]:
        steps = self._steps.get(dataset, [])
        if dataset in self._foreign or any(step.populations is None for step in steps):
            return ()
        cases = [self._written(step, population) for step in steps for population in step.populations or ()]
        return tuple(cases) if len(cases) <= MOST_CASES else ()

    def _written(self, step: Step, population: Population) -> Facts:
        facts = [_fact(each, step.job) for each in population.passed]
        for row in population.rows:
            before = self._of_row(step, population, row)
            facts += before[0] if len(before) == 1 else ()
        return written(facts, population, step.job)
