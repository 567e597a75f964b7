"""Constants of a plan as text."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Final

from headwater_plan.nodes import Literal
from headwater_plan.types import AtomicType

_DATE: Final = AtomicType("date")
_TIMESTAMP: Final = AtomicType("timestamp")
_EPOCH: Final = date(1970, 1, 1)


def text_of(literal: Literal) -> str | None:
    """The value as Spark casts it to text; None where that is not known. Of a date, Spark has the number of days."""
    match literal.value:
        case None:
            return "null" if literal.text == "NULL" else None
        case bool():
            return str(literal.value).lower()
        case int() if literal.type == _DATE:
            return (_EPOCH + timedelta(literal.value)).isoformat()
        case int() if literal.type == _TIMESTAMP:
            return None
        case _:
            return str(literal.value)
