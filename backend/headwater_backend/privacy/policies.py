"""Policies on personal data, as a YAML file: which data may be where, and in which form.

::

    - policy: no contact data in marketing       # its name, in every answer
      category: user.contact                     # this category and its kinds
      dataset: {namespace: "*", name: "*/marketing/*"}
      path: "**"                                 # the default
      allow: [aggregated, masked, influenced]    # the forms that may be there (``forms``); this is the default
      severity: error                            # the default; or warning, or note

Patterns are those of ``place_patterns``.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Final

import yaml

from headwater_backend.privacy.forms import Form
from headwater_backend.privacy.place_patterns import PlacePattern
from headwater_backend.privacy.rules import check_category
from headwater_backend.privacy.yaml_nodes import YamlNodes, line_of, read_text

DEFAULT_ALLOWED: Final = frozenset({Form.AGGREGATED, Form.MASKED, Form.INFLUENCED})
EVERY_PATH: Final = "**"
_REQUIRED: Final = ("policy", "category", "dataset")
_OPTIONAL: Final = ("path", "allow", "severity")


class Severity(str, Enum):
    """The weight of a violation; only an error makes a check fail."""

    ERROR = "ERROR"
    WARNING = "WARNING"
    NOTE = "NOTE"


@dataclass(frozen=True, slots=True)
class Policy(PlacePattern):
    """A policy: data of the category may be at the places only in the allowed forms."""

    name: str
    category: str
    allowed: frozenset[Form] = DEFAULT_ALLOWED
    severity: Severity = Severity.ERROR

    def forbids(self, form: Form) -> bool:
        """Whether data may not be at the places in that form."""
        return form not in self.allowed


def read_policies(file: Path) -> tuple[Policy, ...]:
    """The policies of a file, in its order. Raises ``RulesError`` with the line, also when it cannot be read."""
    return parse_policies(read_text(file), str(file))


def parse_policies(text: str, file: str = "policies") -> tuple[Policy, ...]:
    """The policies of a YAML text; ``file`` is named in errors. Each has a name of its own."""
    nodes = YamlNodes(file)
    found: dict[str, Policy] = {}
    for item in nodes.items(text, "policies"):
        policy = _policy(nodes, item)
        if policy.name in found:
            detail = f"the policy {policy.name!r} is in line {found[policy.name].line} already"
            raise nodes.error(item, detail, "give each policy a name of its own")
        found[policy.name] = policy
    return tuple(found.values())


def _policy(nodes: YamlNodes, item: yaml.Node) -> Policy:
    fields = nodes.mapping(item, _REQUIRED, _OPTIONAL)
    category = nodes.text(fields["category"])
    check_category(category, nodes.file, line_of(fields["category"]))
    namespace, name = nodes.dataset(fields["dataset"])
    return Policy(
        dataset_text=(namespace or "", name),
        path_text=nodes.text(fields["path"]) if "path" in fields else EVERY_PATH,
        line=line_of(item),
        name=nodes.text(fields["policy"]),
        category=category,
        allowed=_forms(nodes, fields["allow"]) if "allow" in fields else DEFAULT_ALLOWED,
        severity=Severity[_word(nodes, fields["severity"], Severity)]
        if "severity" in fields
        else Severity.ERROR,
    )


def _forms(nodes: YamlNodes, node: yaml.Node) -> frozenset[Form]:
    words = nodes.list_of(node, "a list of forms is expected")
    return frozenset(Form[_word(nodes, each, Form)] for each in words)


def _word(nodes: YamlNodes, node: yaml.Node, known: type[Enum]) -> str:
    """The name of one of the enum's members, which a file writes in lower case."""
    word = nodes.text(node)
    if word.upper() not in known.__members__:
        wanted = ", ".join(name.lower() for name in known.__members__)
        raise nodes.error(node, f"{word!r} is none of {wanted}")
    return word.upper()
