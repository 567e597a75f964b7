"""A hand-written execution: a small form of the running example, with the lineage that the analysis would return."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from openlineage.client.event_v2 import RunEvent

from headwater_facets.kinds import Access, LineageType, Manipulation, OperatorType, Subtype
from headwater_plan.types import StructType, parse_type
from headwater_spark.capture.application import Application
from headwater_spark.emit.wire import text
from headwater_spark.executions.execution import Execution
from headwater_spark.tracing.result import (
    AccessedPath,
    Condition,
    FieldLineage,
    Generated,
    InputPath,
    Manipulated,
    Opaque,
    Operator,
    PlanLineage,
    Read,
    Target,
    Touched,
    Transformation,
)

APPLICATION_DOCUMENT: Mapping[str, Any] = {
    "v": 1,
    "kind": "application",
    "time": 1_767_225_600_000,
    "application": {
        "id": "local-1",
        "name": "My Tweets",
        "user": "ada",
        "startTime": 1_767_225_600_000,
        "master": "local[2]",
        "deployMode": "client",
    },
    "versions": {"spark": "3.5.9", "scala": "2.12.18", "java": "17", "headwater": "0.1.0"},
    "conf": {"spark.sql.warehouse.dir": "file:/wh"},
}
START_DOCUMENT: Mapping[str, Any] = {
    "v": 1,
    "kind": "execution-start",
    "time": 1_767_225_601_000,
    "execution": 3,
    "root": 3,
    "description": "parquet at job.py:3",
}
FILES: Mapping[str, Any] = {"kind": "files", "roots": ["file:/in/tweets"], "format": "json"}
TARGET: Mapping[str, Any] = {
    "kind": "files",
    "roots": ["file:/out/tweets"],
    "format": "parquet",
    "mode": "overwrite",
}
COMMAND = "InsertIntoHadoopFsRelationCommand"


def struct(**fields: Any) -> StructType:
    """A struct type of Spark type JSON by name."""
    spec = {"type": "struct", "fields": [{"name": name, "type": kind} for name, kind in fields.items()]}
    parsed = parse_type(spec)
    assert isinstance(parsed, StructType)
    return parsed


def struct_json(**fields: Any) -> dict[str, Any]:
    """The same, as Spark writes it."""
    return {"type": "struct", "fields": [{"name": name, "type": kind} for name, kind in fields.items()]}


USER = struct_json(id_str="string", name="string")
MENTIONS = {"type": "array", "elementType": USER}
PROPS = {"type": "map", "keyType": "string", "valueType": "long"}
TWEETS = struct(text="string", user=USER, user_mentions=MENTIONS, props=PROPS, retweet_cnt="long")


def direct(subtype: Subtype, *manipulation: Manipulation, **more: Any) -> Transformation:
    """A DIRECT transformation."""
    return Transformation(LineageType.DIRECT, subtype, manipulation=manipulation, **more)


FILTERED = Transformation(LineageType.INDIRECT, Subtype.FILTER, access=Access.FILTER, operators=(1,))
COPIED = direct(Subtype.IDENTITY, Manipulation.COPY)


def plan_lineage(**changes: Any) -> PlanLineage:
    """The lineage of: keep tweets without retweets; select text, the mentioned users, and a score."""
    identity = direct(Subtype.IDENTITY, Manipulation.FLATTEN, Manipulation.EXTRACT, operators=(2,))
    opaque = direct(Subtype.TRANSFORMATION, Manipulation.OPAQUE)
    parts: dict[str, Any] = {
        "reads": (Read(0, FILES, TWEETS),),
        "target": Target(
            3, TARGET, COMMAND, struct(text="string", user=USER, score="double", at="timestamp")
        ),
        "fields": (
            FieldLineage(("text",), (InputPath(0, ("text",), (COPIED,)),)),
            FieldLineage(
                ("user", "id_str"), (InputPath(0, ("user_mentions", "_element", "id_str"), (identity,)),)
            ),
            FieldLineage(("score",), (InputPath(0, ("user",), (opaque,)),)),
        ),
        "dataset": (InputPath(0, ("retweet_cnt",), (FILTERED,)),),
        "generated": (Generated(("at",), "current_timestamp()"),),
        "opaque": (Opaque(("score",), "PYTHON_UDF", "score_user"),),
        "operators": (
            Operator(0, OperatorType.READ, (), "/in/tweets"),
            Operator(
                1,
                OperatorType.FILTER,
                (0,),
                "retweet_cnt = 0",
                accessed=(AccessedPath(0, ("retweet_cnt",), Access.FILTER),),
            ),
            Operator(
                2,
                OperatorType.SELECT,
                (1,),
                "text, user",
                manipulated=(Manipulated(1, ("user_mentions", "_element", "id_str"), ("user", "id_str")),),
            ),
            Operator(3, OperatorType.WRITE, (2,), COMMAND, manipulated=None),
        ),
        "conditions": (
            Condition(
                1,
                "FILTER",
                {
                    "op": "=",
                    "args": [
                        {"path": {"read": 0, "path": ["retweet_cnt"]}},
                        {"literal": 0, "type": "long"},
                    ],
                },
                "retweet_cnt = 0",
            ),
        ),
        "access": (
            Touched(0, ("retweet_cnt",), (Access.FILTER,), False),
            Touched(0, ("text",), (Access.PROJECT,), True),
        ),
    }
    return PlanLineage(**{**parts, **changes})


def application(**conf: str) -> Application:
    """The application with more configuration; ``__`` stands for a dot."""
    more = {key.replace("__", "."): value for key, value in conf.items()}
    return Application.from_document(
        {**APPLICATION_DOCUMENT, "conf": {**APPLICATION_DOCUMENT["conf"], **more}}
    )


def execution(lineage: PlanLineage | None = None, **conf: str) -> Execution:
    """The execution of that lineage."""
    found = Execution.from_document(START_DOCUMENT, application(**conf))
    return found.with_lineage(plan_lineage() if lineage is None else lineage)


def wire(event: RunEvent) -> dict[str, Any]:
    """The event as receivers get it."""
    document: dict[str, Any] = json.loads(text(event))
    return document
