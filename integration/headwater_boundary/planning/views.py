"""Temporary views in plans: which of them a plan reads as they no longer are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from headwater_records_spark.jvm import Jvm, kind, listed

_IDENTITY: Final = re.compile(r"#\d+L?")
"""How the text of a plan marks what has an identity of its own each time that it is made."""
_OF_PYSPARK: Final = "_pyspark_"
"""What the views are called in which PySpark puts the frames of a statement; a client has none."""


def outdated(jvm: Jvm, plan: Any) -> Iterator[str]:
    """The names of temporary views that a plan reads as they were before they were replaced or dropped."""
    for view in _outermost(plan):
        identifier = view.desc().identifier()
        now = _now(jvm, identifier.quotedString())
        if view.isTempView() and (now is None or not _same(view.child(), now.child())):
            yield str(identifier.unquotedString())


def _now(jvm: Jvm, name: str) -> Any:
    try:
        plan = jvm.spark._jsparkSession.table(name).queryExecution().analyzed()
    except Exception:  # noqa: BLE001 - py4j wraps what Java throws
        return None
    return next(_outermost(plan), None)


def _outermost(plan: Any) -> Iterator[Any]:
    """The views of a plan, without those within a view: that was made of them once."""
    if kind(plan) == "View" and not plan.desc().identifier().table().startswith(_OF_PYSPARK):
        yield plan
    else:
        for each in (*listed(plan.children()), *listed(plan.subqueries())):
            yield from _outermost(each)


def _same(one: Any, other: Any) -> bool:
    return bool(one.sameResult(other)) or _text(one) == _text(other)


def _text(plan: Any) -> str:
    return _IDENTITY.sub("", plan.toString())
