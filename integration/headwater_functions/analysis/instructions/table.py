"""All instructions."""

from __future__ import annotations

from collections.abc import Mapping

from headwater_functions.analysis.instructions import (
    building,
    calling,
    matching,
    members,
    operators,
    stack,
    variables,
)
from headwater_functions.analysis.instructions.stack import Operation

OPERATIONS: Mapping[str, Operation] = {
    **building.OPERATIONS,
    **calling.OPERATIONS,
    **matching.OPERATIONS,
    **members.OPERATIONS,
    **operators.OPERATIONS,
    **stack.OPERATIONS,
    **variables.OPERATIONS,
}
