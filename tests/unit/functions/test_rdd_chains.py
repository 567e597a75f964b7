"""Chains of RDD functions that are made by chance: no change of a row's column is missed in what they give.

The chains are PySpark's own, and run without Spark: each is a function of a partition's number and its rows.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from pyspark.sql import Row
from pyspark.sql.types import StringType, StructType, _create_converter

from functions.rdds import PYTHON, rows, sent
from headwater_functions.pickles.cloudpickled import read_function
from headwater_plan.readings import ReadFlow, Reading
from headwater_plan.types import AtomicType, StructField
from headwater_plan.types import StructType as PlanType
from headwater_spark.decode.code import rdd

TEXT = AtomicType("string")
NAMES = ("name", "city", "ssn")
MADE = StructType().add("who", StringType()).add("place", StringType())
GIVEN, RESULT = (PlanType(tuple(StructField(n, TEXT) for n in names)) for names in (NAMES, ("who", "place")))
ROWS = [Row(name="ada", city="rome", ssn="111"), Row(name="bob", city="oslo", ssn="222")]
OTHERS = ("", "zed", "1")
OF_ROWS = (
    "(r.name, r.ssn)",
    "(r['city'], r[2])",
    "(r.name + r.city, r.ssn)",
    "(r.name if r.ssn > '15' else r.city, r.name)",
    "(str(len(r.ssn)), r[0])",
    "tuple(reversed((r.name, r.city)))",
    "(r.asDict()['city'], r.ssn[:2])",
)
OF_PAIRS = (
    "map(lambda t: (t[1], t[0]))",
    "map(lambda t: (t[0] + '-', t[1]))",
    "map(lambda t: [t[1], t[1] or t[0]])",
    "filter(lambda t: t[0] != 'zed')",
    "filter(lambda t: t[1])",
    "flatMap(lambda t: [t, (t[1], t[0])])",
    "flatMap(lambda t: [t] if t[0] > 'b' else [])",
    "mapPartitions(seen)",
    "mapPartitions(every_other)",
    "mapPartitionsWithIndex(lambda i, part: ((str(i) + a, b) for a, b in part))",
    "mapValues(lambda v: v.upper())",
    "keyBy(lambda t: t[1]).map(lambda kv: (kv[0], kv[1][0]))",
    "zipped().map(lambda p: (p[0][0], p[0][1] + str(p[1])))",
)
LEAST_READ = 0.8
CHAINS = 60


def seen(part: Iterator[Any]) -> Iterator[Any]:
    last = ""
    for a, b in part:
        yield a, last
        last = b


def every_other(part: Iterator[Any]) -> Iterator[Any]:
    for place, pair in enumerate(part):
        if place % 2 == 0:
            yield pair


seen.__module__ = every_other.__module__ = "__main__"
"""Of functions of other modules, only the names are sent."""


def _chain(chance: Random) -> tuple[str, Any]:
    steps = [f"map(lambda r: {chance.choice(OF_ROWS)})"]
    if chance.random() < 0.4:
        steps.insert(0, f"filter(lambda r: r.{chance.choice(NAMES)} != 'zed')")
    steps += [chance.choice(OF_PAIRS) for _ in range(chance.randint(0, 4))]
    text = ".".join(steps).replace(
        "zipped()", "mapPartitions(lambda part: ((pair, place) for place, pair in enumerate(part)))"
    )
    made = eval(f"rows.{text}", {"rows": rows(), "seen": seen, "every_other": every_other})
    return text, made.map(_create_converter(MADE)).map(MADE.toInternal)


def _flows(made: Any) -> tuple[ReadFlow, ...] | None:
    """What is stated of the chain; None where it is opaque."""
    found = rdd._read(((_text(made), PYTHON),), (), GIVEN, RESULT)
    return found.flows if isinstance(found, Reading) and not found.unread else None


def _text(made: Any) -> str:
    return base64.b64encode(sent(made)).decode()


def _missed(made: Any, flows: tuple[ReadFlow, ...]) -> set[str]:
    """Changes of what the chain gives that no flow tells of."""
    before, missed = _given(made, ROWS), set()
    for place, row in enumerate(ROWS):
        for name in NAMES:
            for other in OTHERS:
                changed = [*ROWS]
                changed[place] = Row(**{**row.asDict(), name: other})
                after = _given(made, changed)
                targets: set[tuple[str, ...]] = set() if len(before) == len(after) else {()}
                targets |= {
                    (column,)
                    for i, column in enumerate(("who", "place"))
                    if len(before) == len(after) and [r[i] for r in before] != [r[i] for r in after]
                }
                missed |= {f"{t} <- {name}" for t in targets if not _is_read(flows, name, t)}
    return missed


def _given(made: Any, rows: list[Row]) -> list[Any]:
    """What the chain gives of one partition."""
    return list(made.func(0, iter(rows)))


def _is_read(flows: tuple[ReadFlow, ...], name: str, target: tuple[str, ...]) -> bool:
    return any(f.source in ((), (name,)) and f.target in ((), target) and not f.extent for f in flows)


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_no_change_of_a_column_is_missed(seed: int) -> None:
    chance, read = Random(seed), 0
    count = CHAINS if seed == 1 else 30 * CHAINS
    for _ in range(count):
        text, made = _chain(chance)
        flows = _flows(made)
        if flows is not None:
            read += 1
            assert not _missed(made, flows), text
    assert read >= LEAST_READ * count


def test_what_is_opaque_has_a_reason() -> None:
    made = rows().map(eval("lambda r: (eval('r.name'), r.city)")).map(MADE.toInternal)
    found = rdd._read(((_text(made), PYTHON),), (), GIVEN, RESULT)
    assert "eval" in getattr(found, "reason", "")
    assert read_function(sent(made), PYTHON).code.name == "pipeline_func"
