"""What a declaration and the code of a function say differently."""

from __future__ import annotations

import pytest

from headwater_facets.kinds import Manipulation, Retains
from headwater_plan.declarations import declaration
from headwater_plan.readings import ReadFlow, Reading, Why, differences

COMPUTED = (Manipulation.COMPUTE,)


def read(source: str, target: str = "", retains: Retains = Retains.CONTAINS, decides: str = "") -> ReadFlow:
    argument, *below = source.split(".")
    to = tuple(target.split(".")) if target else ()
    return ReadFlow(int(argument), tuple(below), to, () if decides else COMPUTED, retains, decides)


def found(reads: list[str], *flows: ReadFlow, masking: bool = False, unread: bool = False) -> list[str]:
    declared = declaration("f", reads, masking=masking)
    reading = Reading("f", "job.py", 3, flows, (Why("CALL", "it calls x"),) if unread else ())
    return [
        f"{d.difference} {'.'.join([str(d.argument), *d.source])} > {'.'.join(d.target)}"
        for d in differences(declared, reading)
    ]


@pytest.mark.parametrize(
    ("reads", "flows", "expected"),
    [
        (["0"], [read("0.city")], []),
        (["0.city"], [read("0.city")], []),
        (["0.city"], [read("0")], ["UNDECLARED 0 > "]),
        (["0.city"], [read("0.city"), read("0.zip")], ["UNDECLARED 0.zip > "]),
        (["0.city -> town"], [read("0.city", "town")], []),
        (
            ["0.city -> town"],
            [read("0.city", "name")],
            ["UNDECLARED 0.city > name", "NOT_DONE 0.city > town"],
        ),
        (["0.city -> town"], [read("0.city", "town.name")], []),
        (["0.city -> town.name"], [read("0.city", "town")], ["UNDECLARED 0.city > town"]),
        (["0", "1 -> ?"], [read("0"), read("1", decides="CONDITION")], []),
        (["0", "1 -> ?"], [read("0"), read("1")], ["UNDECLARED 1 > "]),
        (["0", "1"], [read("0")], ["NOT_DONE 1 > "]),
        (["0", "1"], [read("0"), read("1", decides="CONDITION")], []),
        (["0"], [read("0"), read("2", decides="NULL_TEST")], ["UNDECLARED 2 > "]),
    ],
)
def test_a_way_is_declared_as_the_code_goes_it(
    reads: list[str], flows: list[ReadFlow], expected: list[str]
) -> None:
    assert found(reads, *flows) == expected


def test_what_is_declared_as_hidden_may_not_be_read_back() -> None:
    assert found(["0"], read("0", retains=Retains.TOKEN), masking=True) == []
    assert found(["0"], read("0"), masking=True) == ["READABLE 0 > "]
    assert found(["0"], read("0", retains=Retains.PART), masking=True) == []


def test_nothing_is_stated_of_code_that_was_not_read_as_a_whole() -> None:
    assert found(["0"], read("1"), unread=True) == []
