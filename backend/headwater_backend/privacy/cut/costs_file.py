"""What changes of jobs cost: a YAML file.

::

    kinds: {mask: 1, aggregate: 2, drop: 3}      # these are the defaults
    jobs: {"* nightly_*": 5, "* ledger": never}  # factors, by "namespace name"; the first that fits
    owners: {"team finance": 2}                  # factors, by the names of a job's owners; the greatest of them

What costs ``never`` is not proposed.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Final

import yaml

from headwater_backend.domain.patterns import name_pattern
from headwater_backend.privacy.classification.yaml_nodes import YamlNodes, read_text
from headwater_backend.privacy.cut.changes import KINDS, NEVER, NO_COSTS, Costs, Kind

_NEVER: Final = "never"
MOST: Final = 1_000_000.0
"""The greatest cost or factor: greater ones are lost among others in floating-point numbers."""


def read_costs(file: Path) -> Costs:
    """The costs of a file. Raises ``RulesError`` with the line, also when it cannot be read."""
    return parse_costs(read_text(file), str(file))


def parse_costs(text: str, file: str = "costs") -> Costs:
    """The costs of a YAML text; ``file`` is named in errors."""
    nodes = YamlNodes(file)
    root = nodes.root(text)
    if root is None:
        return NO_COSTS
    fields = nodes.mapping(root, (), ("kinds", "jobs", "owners"))
    kinds = dict(KINDS)
    if "kinds" in fields:
        names = [each.name.lower() for each in Kind]
        given = nodes.mapping(fields["kinds"], (), names)
        kinds.update({Kind[name.upper()]: _number(nodes, node) for name, node in given.items()})
    jobs = tuple((name_pattern(name), each) for name, each in _factors(nodes, fields.get("jobs")).items())
    return Costs(kinds, jobs, _factors(nodes, fields.get("owners")))


def _factors(nodes: YamlNodes, node: yaml.Node | None) -> dict[str, float]:
    if node is None:
        return {}
    if not isinstance(node, yaml.MappingNode):
        raise nodes.error(node, "a mapping of names and factors is expected")
    return {nodes.text(key): _number(nodes, value) for key, value in node.value}


def _number(nodes: YamlNodes, node: yaml.Node) -> float:
    text = nodes.text(node)
    if text == _NEVER:
        return NEVER
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not 0 < found <= MOST:
        raise nodes.error(
            node, f"{text!r} is no cost", f"costs are numbers above 0, up to {MOST:,.0f}, or never"
        )
    return found
