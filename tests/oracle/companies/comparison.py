"""What was found in the files against what was stated of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from oracle.companies.answers import WEAK, Answers, Gap, Listed
from oracle.companies.company import Attribute, Company
from oracle.companies.decoding import Steps
from oracle.companies.features import Feature
from oracle.companies.search import Found, Held, How


@dataclass(frozen=True)
class Miss:
    """A value that is there and of which the question's answer is an all-clear; ``stated`` are the forms listed."""

    question: str
    found: Found
    stated: frozenset[str]
    features: frozenset[Feature]
    """What the steps on the way do."""


@dataclass(frozen=True)
class Judgement:
    """Of one company: the misses, and figures."""

    seed: int
    misses: tuple[Miss, ...]
    pairs: int
    """Pairs of a path and an attribute whose value is there."""
    by_gap: int
    """Those that only a gap tells of."""
    listed: int
    """Pairs that are listed as holding a value, a pseudonym included, and not as possible, where there is any value."""
    right: int
    """Those of them whose value is there."""
    policies: int
    """Policies that are satisfied."""
    unfounded: tuple[Listed, ...] = ()


def judge(company: Company, held: Held, answers: Answers) -> Judgement:
    """Compare what the datasets hold with what is stated of them."""
    return _Judge(company, held, answers).judgement()


class _Judge:
    def __init__(self, company: Company, held: Held, answers: Answers) -> None:
        self.company = company
        self.found = held.found
        self.filled = held.filled
        self.answers = answers
        self.by_gap = 0

    def judgement(self) -> Judgement:
        misses = [*self._exposure(), *self._breaches(), *self._policies()]
        listed = {each for each in self.answers.exposure if _is_asserted(each.form) and self._is_filled(each)}
        right = {each for each in listed if any(_is_right(each, other) for other in self.found)}
        return Judgement(
            seed=self.company.seed,
            misses=tuple(misses),
            pairs=len({each[:3] for each in self._readable()}),
            by_gap=self.by_gap,
            listed=len({each[:3] for each in listed}),
            right=len({each[:3] for each in right}),
            policies=len(self.answers.satisfied),
            unfounded=tuple(sorted(listed - right)),
        )

    def _is_filled(self, listed: Listed) -> bool:
        """Whether there is any value, of whatever, at the path; without rows, no file shows what it would hold."""
        return any(dataset == listed.dataset and _overlap(path, listed.path) for dataset, path in self.filled)

    def _readable(self) -> list[Found]:
        """What can be read in datasets that Spark has seen: of a copy that it never reads, nobody can tell.

        A write that is ignored reads nothing.
        """
        jobs = (job for night in self.company.nights for job in night.jobs)
        seen = {
            name
            for job in jobs
            if Feature.IGNORED not in job.features
            for name in (job.reads - job.opens) | job.writes
        }
        return sorted(each for each in self.found if each.how in _TELLING and each.dataset in seen)

    def _exposure(self) -> Iterator[Miss]:
        for each in self._readable():
            stated = {pair.form for pair in self.answers.exposure if _is_at(pair, each)}
            if stated - WEAK:
                continue
            if self._has_gap(each, self.answers.gaps.get(each.attribute, self.answers.report_gaps)):
                self.by_gap += 1
                continue
            yield self._miss("exposure", each, stated)

    def _breaches(self) -> Iterator[Miss]:
        for each in self._readable():
            if each.dataset not in self.answers.breaches:
                continue
            stated = {pair.form for pair in self.answers.breaches[each.dataset] if _is_at(pair, each)}
            if not stated - WEAK and not self._has_gap(each, self.answers.breach_gaps[each.dataset]):
                yield self._miss("breach", each, stated)

    def _policies(self) -> Iterator[Miss]:
        categories = {
            Attribute(source.name, path): category
            for source in self.company.sources
            for path, category in source.categories.items()
        } | self.company.others
        for each in self._readable():
            if (each.dataset, categories[each.attribute]) in self.answers.satisfied:
                yield self._miss("policy", each, set())

    def _miss(self, question: str, found: Found, stated: set[str]) -> Miss:
        _, features = self.way(found.attribute.source, found.dataset)
        return Miss(question, found, frozenset(stated), features)

    def _has_gap(self, found: Found, gaps: Iterable[Gap]) -> bool:
        names, _ = self.way(found.attribute.source, found.dataset)
        return any(gap.dataset in names or gap.job in names for gap in gaps if gap.dataset or gap.job)

    def way(self, source: str, dataset: str) -> tuple[frozenset[str], frozenset[Feature]]:
        """The datasets and steps on all ways from the source to the dataset, and what these steps do."""
        after, before = {source}, {dataset}
        for step in self.company.steps:
            if step.reads & after:
                after |= step.writes
        for step in reversed(self.company.steps):
            if step.writes & before:
                before |= step.reads
        between = after & before
        steps = [each for each in self.company.steps if each.reads & between and each.writes & between]
        features = frozenset(feature for each in steps for feature in each.features)
        return frozenset(between | {each.name for each in steps}), features


_TELLING = (How.READABLE, How.DECIDED)


def _is_right(listed: Listed, found: Found) -> bool:
    """Whether what was found is what is listed; the length of a value is a fact about it, and no more."""
    return _is_at(listed, found) and (found.how is not How.FACT or listed.form == "DERIVED")


def _is_asserted(form: str) -> bool:
    return form not in (WEAK - {"PSEUDONYMISED"}) and form != "POSSIBLE"


def _is_at(listed: Listed, found: Found) -> bool:
    if (listed.dataset, listed.attribute) != (found.dataset, found.attribute):
        return False
    return _overlap(listed.path, found.path)


def _overlap(one: Steps, other: Steps) -> bool:
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]
