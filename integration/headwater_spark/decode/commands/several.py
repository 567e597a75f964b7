"""Plans of several writes: ``FROM t INSERT INTO a … INSERT INTO b …`` is one execution, a union of commands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headwater_spark.decode.commands.writes import WRITES, is_command
from headwater_spark.decode.document import PlanDocument, references, root_name


def several_writes(plan: Mapping[str, Any]) -> tuple[int, ...]:
    """The nodes that are the plan's writes, in their order; none where the plan is a single write or a query."""
    if root_name(plan) not in ("Union", "WithCTE"):
        return ()
    document = PlanDocument.of_broken(plan)
    found: list[int] = []
    stack = [document.root]
    while stack:
        node = document.nodes[stack.pop()]
        if node.name == "Union":
            stack.extend(reversed(list(references(node.get("children")))))
        elif node.name == "WithCTE":
            stack.extend(references(node.get("plan")))
        elif node.name in WRITES or is_command(node):
            found.append(node.index)
        else:
            return ()
    return tuple(found)
