"""Names of functions, as a program writes them; an operator such as ``+`` has none."""

from __future__ import annotations

from headwater_plan.functions import NAMELESS
from headwater_plan.nodes import Call


def name_of(call: Call) -> str:
    """The function's name in SQL, in lower case; empty for an operator."""
    name = call.pretty.lower()
    return name if name.isidentifier() and call.function not in NAMELESS else ""
