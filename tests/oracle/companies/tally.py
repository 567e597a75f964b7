"""The figures over many companies, and their misses by family."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from oracle.companies.answers import ask
from oracle.companies.comparison import Judgement, Miss, judge
from oracle.companies.executor import Executed
from oracle.companies.search import search

EXAMPLES = 5


def judged(executed: Executed) -> Judgement:
    """What is found in the files of an executed company, compared with what is stated of them."""
    return judge(executed.company, search(executed.company, executed.data), ask(executed))


@dataclass
class Tally:
    """The sums over companies; a family of misses is what the steps on the way do, and the forms that are stated."""

    judgements: list[Judgement] = field(default_factory=list)
    steps: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    files: int = 0

    def add(self, executed: Executed, judgement: Judgement) -> None:
        self.judgements.append(judgement)
        self.steps += len(executed.company.steps)
        self.failed.update(error.partition("\n")[0][:110] for error in executed.failed.values())
        self.files += sum(1 for each in executed.data.rglob("*.*") if each.is_file() and each.name[0] != ".")

    def _sum(self, name: str) -> int:
        return sum(getattr(each, name) for each in self.judgements)

    @property
    def missed(self) -> int:
        """The number of misses of all questions."""
        return sum(len(each.misses) for each in self.judgements)

    @property
    def precision(self) -> float:
        """The share of listed pairs whose value is there."""
        return self._sum("right") / max(1, self._sum("listed"))

    @property
    def text(self) -> str:
        return "\n".join(
            [*self._figures(), "", *self._families(), "", *self._unfounded(), "", *self._failures()]
        )

    def _figures(self) -> Iterator[str]:
        misses = Counter(miss.question for each in self.judgements for miss in each.misses)
        with_misses = sum(1 for each in self.judgements if each.misses)
        yield f"{len(self.judgements)} companies, {self.steps} steps ({self.failed.total()} failed), {self.files} files"
        yield f"{self._sum('pairs')} pairs (path, attribute) to be read, {self._sum('by_gap')} covered by a gap alone"
        yield (
            f"misses: exposure {misses['exposure']}, breach {misses['breach']}, policy {misses['policy']}"
            + (f"; companies with misses: {with_misses}")
        )
        yield f"satisfied policies: {self._sum('policies')}"
        yield f"listed and not possible: {self._sum('listed')}, of them there: {self._sum('right')}" + (
            f" ({self.precision:.1%})"
        )

    def _families(self) -> Iterator[str]:
        families: dict[str, list[tuple[int, Miss]]] = defaultdict(list)
        for each in self.judgements:
            for miss in each.misses:
                families[_family(miss)].append((each.seed, miss))
        for name, found in sorted(families.items(), key=lambda item: -len(item[1])):
            yield f"{len(found):6} {name}"
            for seed in sorted({seed for seed, _ in found})[:EXAMPLES]:
                miss = next(miss for at, miss in found if at == seed)
                yield f"         seed {seed}: {miss.found.dataset} {'.'.join(miss.found.path)} {miss.found.attribute}"

    def _unfounded(self) -> Iterator[str]:
        yield "listed, and not there:"
        for each in self.judgements:
            for pair in each.unfounded[:2]:
                yield f"       seed {each.seed}: {pair.dataset} {'.'.join(pair.path)} {pair.form} {pair.attribute}"

    def _failures(self) -> Iterator[str]:
        yield "failed steps:"
        for error, number in self.failed.most_common(15):
            yield f"{number:6} {error}"


def _family(miss: Miss) -> str:
    features = "+".join(sorted(each.name for each in miss.features)) or "BASIC"
    stated = ",".join(sorted(miss.stated)) or "nothing"
    return f"{miss.question}: {features}, {miss.found.how.value}; stated: {stated}"
