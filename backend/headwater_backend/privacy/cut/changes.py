"""Changes of jobs, and what they cost: a YAML file.

::

    kinds: {mask: 1, aggregate: 2, drop: 3}      # these are the defaults
    jobs: {"* nightly_*": 5, "* ledger": never}  # factors, by "namespace name"; the first that fits
    owners: {"team finance": 2}                  # factors, by the names of a job's owners; the greatest of them

A change costs what its kind does, times the job's factor, times its owners'. What costs ``never`` is not proposed.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Final, NamedTuple

import yaml

from headwater_backend.domain.model import JobKey, NodeKey
from headwater_backend.domain.patterns import Pattern, name_pattern
from headwater_backend.privacy.classification.yaml_nodes import YamlNodes, read_text
from headwater_backend.privacy.forms import Arrival, Form, weakest

NEVER: Final = math.inf
_NEVER: Final = "never"
MOST: Final = 1_000_000.0
"""The greatest cost or factor: greater ones are lost among others in floating-point numbers."""


class Kind(str, Enum):
    """What a change does with a value that a job writes."""

    MASK = "MASK"
    AGGREGATE = "AGGREGATE"
    DROP = "DROP"


_FORMS: Final = {Kind.MASK: Arrival(Form.MASKED), Kind.AGGREGATE: Arrival(Form.AGGREGATED)}


class Place(NamedTuple):
    """A path that a job writes."""

    job: JobKey
    node: NodeKey


class Change(NamedTuple):
    """A change of what a job writes at a path."""

    place: Place
    kind: Kind


def changed(arrival: Arrival, kind: Kind, node: NodeKey) -> Arrival | None:
    """The form in which a value arrives at the node after a change there; None if it does not arrive.

    What only decides which rows there are, or arrived at a whole dataset, is ended by nothing but leaving it out.
    """
    if kind is Kind.DROP:
        return None
    return weakest(arrival, _FORMS[kind]) if node.path else arrival


_KINDS: Final[Mapping[Kind, float]] = {Kind.MASK: 1.0, Kind.AGGREGATE: 2.0, Kind.DROP: 3.0}


@dataclass(frozen=True, slots=True)
class Costs:
    """What changes cost: of kinds, with factors of jobs and of owners."""

    kinds: Mapping[Kind, float] = field(default_factory=lambda: _KINDS)
    jobs: tuple[tuple[Pattern, float], ...] = ()
    owners: Mapping[str, float] = field(default_factory=dict)

    def of(self, change: Change, owners: Collection[str] = ()) -> float:
        """What the change costs, if these own its job; ``NEVER`` if it may not be proposed."""
        job = change.place.job
        name = f"{job.namespace} {job.name}"
        factor = next((factor for pattern, factor in self.jobs if pattern.fullmatch(name)), 1.0)
        return (
            self.kinds[change.kind]
            * factor
            * max((self.owners.get(each, 1.0) for each in owners), default=1.0)
        )


NO_COSTS: Final = Costs()


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
    kinds = dict(_KINDS)
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
