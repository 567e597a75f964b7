"""Sample calls of every function of Spark's SQL registry, and the programs that call many of them at once.

``functions.txt`` has one line ``name: call`` a function, over the columns of ``TYPED``, in a section that says what the
function is; ``@spark-4`` behind the call names the only line that has it. ``[uncalled]`` functions have a reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

TYPED = (
    "id long, an_int int, a_long long, a_double double, a_decimal decimal(10,2), a_text string, b_text string, "
    "a_flag boolean, some_bytes binary, a_date date, a_stamp timestamp, ints array<int>, more_ints array<int>, "
    "texts array<string>, pairs map<string,int>, a_pair struct<x:int,y:string>, "
    "items array<struct<k:string,v:int>>, a_doc string"
)
"""One column of each type that functions take."""

COLUMNS = frozenset(part.split()[0] for part in re.split(r", (?=\w+ )", TYPED))
_COLUMN = re.compile(rf"\b({'|'.join(sorted(COLUMNS))})\b")
_LINE = re.compile(r"^(?P<name>\S+): (?P<call>.*?)(?: @(?P<line>spark-[\d.]+))?$")


@dataclass(frozen=True)
class Sample:
    """A call of a function; ``line`` names the only Spark line that has it."""

    name: str
    kind: str
    call: str
    line: str | None

    @property
    def columns(self) -> frozenset[str]:
        """The columns that the call names."""
        return frozenset(_COLUMN.findall(self.call))

    def of_outer(self, name: str) -> str:
        """The call with every second column that it names taken of the outer query of that name."""
        outer = sorted(self.columns)[::2]
        return _COLUMN.sub(lambda m: f"{name}.{m[0]}" if m[0] in outer else m[0], self.call)


def samples() -> list[Sample]:
    """All samples; ``ValueError`` names a line out of form."""
    found: list[Sample] = []
    kind = ""
    for line in Path(__file__).with_name("functions.txt").read_text("utf-8").splitlines():
        if line.startswith("["):
            kind = line.strip("[]")
        elif line and not line.startswith("#"):
            if (parts := _LINE.match(line)) is None:
                raise ValueError(f"functions.txt: {line}")
            found.append(Sample(parts["name"], kind, parts["call"], parts["line"]))
    return found


def in_portions(found: Sequence[Sample], size: int = 120) -> Iterator[Sequence[Sample]]:
    """The samples in portions that fit into one program each."""
    for start in range(0, len(found), size):
        yield found[start : start + size]


def _selected(calls: Sequence[str]) -> str:
    return ", ".join(f"{call} AS c{i}" for i, call in enumerate(calls))


def alone(found: Sequence[Sample]) -> str:
    """SQL: the calls as columns ``c0``, ``c1`` …, with the ``id`` of the row or of the group."""
    kind = found[0].kind
    over = " OVER (PARTITION BY a_flag ORDER BY id)" if kind == "window" else ""
    grouped = " GROUP BY id" if kind == "aggregate" else ""
    return f"SELECT id, {_selected([s.call + over for s in found])} FROM typed{grouped}"


def in_scalar_subquery(found: Sequence[Sample]) -> str:
    """SQL: the calls as members of a scalar subquery's struct ``r``."""
    members = ", ".join(f"q.c{i}" for i in range(len(found)))
    return f"SELECT (SELECT first(struct({members})) FROM ({alone(found)}) q) AS r FROM typed"


def in_exists(found: Sequence[Sample]) -> str:
    """SQL: each call in a correlated EXISTS of its own, over rows of both queries; aggregates in correlated scalars."""
    if found[0].kind == "aggregate":
        tests = [f"(SELECT {s.call} FROM typed t WHERE t.id = o.id)" for s in found]
    else:
        tests = [
            f"EXISTS (SELECT 1 FROM typed t WHERE t.id = o.id AND ({s.of_outer('o')}) IS NOT NULL)"
            for s in found
        ]
    return f"SELECT {_selected(tests)} FROM typed o"


def over_itself(found: Sequence[Sample]) -> str:
    """Python: the calls as columns of a frame that is joined with itself; gives those of the right side."""
    return (
        f"calls = spark.sql({alone(found)!r})\n"
        "result = calls.alias('x').join(calls.alias('y'), F.col('x.id') == F.col('y.id')).select('y.*')"
    )
