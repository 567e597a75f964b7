"""Typed filters and maps in plans: by the functions that Java's samples were recorded as."""

from __future__ import annotations

import json
from typing import Any

import pytest

from functions.jvm.record import RECORDED
from headwater_plan.nodes import Filter, OpaqueCall, OpaqueRelation, Project, ReadCall
from headwater_spark.decode import decode

SAMPLES = {
    each["name"]: each["function"]
    for each in map(json.loads, RECORDED.read_text("utf-8").strip().split("\n"))
}
CLASSES = {
    "AttributeReference": ("expression", "name dataType nullable metadata"),
    "LocalRelation": ("plan", "output data isStreaming stream"),
    "TypedFilter": ("plan", "func argumentClass argumentSchema deserializer child"),
    "DeserializeToObject": ("plan", "deserializer outputObjAttr child"),
    "MapElements": ("plan", "func argumentClass argumentSchema outputObjAttr child"),
}
ROW, TURNED, OBJECT = 0, 1, 3
TYPES: list[Any] = [
    *(
        {
            "type": "struct",
            "fields": [{"name": n, "type": "string", "nullable": True, "metadata": {}} for n in names],
        }
        for names in (("city", "zip"), ("zip", "city"))
    ),
    "string",
    "object",
]


def plan(operator: str, function: Any, schema: int) -> dict[str, Any]:
    """An operator with the function over rows of a city and a zip, as the agent encodes it."""
    names = list(CLASSES)
    attributes = [
        {"c": 0, "a": [n, {"T": t}, True, None], "id": i, "n": n, "q": [], "t": t}
        for i, (n, t) in enumerate([("city", 2), ("zip", 2), ("object", OBJECT), ("made", OBJECT)])
    ]
    below = [
        {"c": 1, "a": [[{"r": 0}, {"r": 1}], [], False, None], "out": [0, 1]},
        {"c": names.index("DeserializeToObject"), "a": [None, {"r": 2}, {"r": 4}], "out": [2]},
    ]
    is_filter = operator == "TypedFilter"
    given = [function, None, {"T": schema}, *((None, {"r": 4}) if is_filter else ({"r": 3}, {"r": 5}))]
    root = {"c": names.index(operator), "a": given, "out": [0, 1] if is_filter else [3]}
    package = "org.apache.spark.sql.catalyst.plans.logical"
    classes = [
        {"name": name, "class": f"{package}.{name}", "sort": sort, "fields": fields.split()}
        for name, (sort, fields) in CLASSES.items()
    ]
    return {"classes": classes, "types": TYPES, "nodes": [*attributes, *below, root], "root": 6}


def sources(call: ReadCall) -> set[tuple[str, ...]]:
    return {flow.source for flow in call.reading.flows}


def test_a_filter_asks_what_its_function_asks() -> None:
    found = decode(plan("TypedFilter", SAMPLES["city"], ROW), "4.0.0").relation
    assert isinstance(found, Filter) and isinstance(found.condition, ReadCall)
    assert sources(found.condition) == {("city",)}
    assert [a.name for a in found.outputs] == ["city", "zip"]


def test_a_map_makes_its_object_of_what_its_function_takes() -> None:
    found = decode(plan("MapElements", SAMPLES["second"], ROW), "4.0.0").relation
    assert isinstance(found, Project)
    (made,) = found.definitions
    assert isinstance(made.expression, ReadCall) and sources(made.expression) == {("zip",)}


@pytest.mark.parametrize("operator", ["TypedFilter", "MapElements"])
@pytest.mark.parametrize(
    ("function", "schema", "code"),
    [
        (SAMPLES["city"], TURNED, "SORT"),
        (SAMPLES["host"], ROW, "SORT"),
        ({"o": "shop.Job$$Lambda$1"}, ROW, "SORT"),
        ({**SAMPLES["city"], "methods": {}}, ROW, "BYTECODE"),
    ],
)
def test_rows_of_other_columns_single_values_and_what_is_not_sent_are_opaque(
    operator: str, function: Any, schema: int, code: str
) -> None:
    found = decode(plan(operator, function, schema), "4.0.0").relation
    assert isinstance(found, OpaqueRelation) and found.reason == "TYPED_OPERATION"
    assert isinstance(found.function, OpaqueCall)
    assert [why.code for why in found.function.why] == [code]
