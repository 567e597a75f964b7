"""What a steward accepted of a function counts for its code alone, and is reported with the steward's name."""

from __future__ import annotations

import base64
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pyspark import cloudpickle

from headwater_facets.kinds import Known
from headwater_plan.declarations import declaration
from headwater_plan.nodes import DeclaredCall, OpaqueCall, Project, ReadCall
from headwater_spark.decode import decode
from headwater_spark.decode.code.python import digest
from headwater_spark.tracing.user_code import _described

PACKAGE = "org.apache.spark.sql.catalyst"
CLASSES = {
    "AttributeReference": ("expression", "name dataType nullable metadata"),
    "PythonUDF": ("expression", "name func dataType children evalType udfDeterministic resultId"),
    "Alias": ("expression", "child name"),
    "LocalRelation": ("plan", "output data isStreaming stream"),
    "Project": ("plan", "projectList child"),
}
ACCEPTED = replace(declaration("score", ["0"]), by="Ana")


def opaque(mail: str) -> Any:
    return eval(mail)


def readable(mail: str) -> str:
    return mail.upper()


def sent(function: Callable[..., Any]) -> dict[str, Any]:
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    command = cloudpickle.dumps((_own(function), None))
    return {"command": base64.b64encode(command).decode(), "version": version}


def _own(function: Any) -> Any:
    """The function as a program's own, whose code is sent."""
    function.__module__ = "__main__"
    return function


def called(function: Callable[..., Any], code: str) -> Any:
    """The call of the function in a plan, where a mapping of ``score`` is accepted for that code."""
    attribute = {"c": 0, "a": ["mail", {"T": 0}, True, None], "id": 0, "n": "mail", "q": [], "t": 0}
    call = {"c": 1, "a": ["score", sent(function), {"T": 0}, [{"r": 0}], 100, True, None], "t": 0}
    alias = {"c": 2, "a": [{"r": 1}, "made"], "id": 2, "n": "made", "q": [], "t": 0}
    relation = {"c": 3, "a": [[{"r": 0}], [], False, None], "out": [0]}
    root = {"c": 4, "a": [[{"r": 2}], {"r": 3}], "out": [2]}
    classes = [
        {"name": name, "class": f"{PACKAGE}.{name}", "sort": sort, "fields": fields.split()}
        for name, (sort, fields) in CLASSES.items()
    ]
    document = {
        "classes": classes,
        "types": ["string"],
        "nodes": [attribute, call, alias, relation, root],
        "root": 4,
    }
    decoded = decode(document, declared={"score": replace(ACCEPTED, code=code)}.get)
    assert isinstance(decoded.relation, Project)
    return decoded.relation.definitions[0].expression


def test_what_is_accepted_counts_for_its_code_and_is_declared_by_the_steward() -> None:
    for function in (opaque, readable):
        found = called(function, str(digest(sent(function))))
        assert isinstance(found, DeclaredCall)
        described = _described(found)
        assert described is not None
        assert (described.known, described.by) == (Known.DECLARED, "Ana")


def test_it_counts_for_no_other_code_and_that_is_reported() -> None:
    found = called(opaque, str(digest(sent(readable))))
    assert isinstance(found, OpaqueCall)
    assert [why.code for why in found.why] == ["OUTSIDE", "OTHER_CODE"]
    assert isinstance(called(readable, "3.9:0"), ReadCall)


def test_a_difference_between_what_is_accepted_and_the_code_is_found() -> None:
    described = _described(
        replace(called(readable, str(digest(sent(readable)))), declaration=declaration("score", []))
    )
    assert described is not None
    assert [each.difference for each in described.differences] == ["UNDECLARED"]
