"""Rules that name personal attributes, as a YAML file given to the server.

::

    - dataset: "food_delivery public.*"         # on "namespace name"; or a mapping:
      path: "email"
      category: user.contact.email
    - dataset: {namespace: "file*", name: "*tweets*"}
      path: "**.user.*"
      category: user

Patterns are those of ``place_patterns``. Categories are fideslang's ``user`` and its kinds, and are checked when the
file is read.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import yaml

from headwater_backend.domain.errors import RulesError
from headwater_backend.privacy import categories
from headwater_backend.privacy.place_patterns import PlacePattern
from headwater_backend.privacy.yaml_nodes import YamlNodes, line_of, read_text

_FIELDS = ("dataset", "path", "category")


@dataclass(frozen=True, slots=True)
class Rule(PlacePattern):
    """A rule: the paths of some datasets that hold data of one category."""

    category: str

    @classmethod
    def of(cls, namespace: str | None, name: str, path: str, category: str, line: int) -> Rule:
        """The rule of these patterns. Raises ``RulesError`` for a category that is not one of personal data."""
        check_category(category, "rules", line)
        return cls((namespace or "", name), path, line, category)


def read_rules(file: Path) -> tuple[Rule, ...]:
    """The rules of a file, in its order. Raises ``RulesError`` with the line, also when it cannot be read."""
    return parse_rules(read_text(file), str(file))


def parse_rules(text: str, file: str = "rules") -> tuple[Rule, ...]:
    """The rules of a YAML text; ``file`` is named in errors."""
    nodes = YamlNodes(file)
    return tuple(_rule(nodes, item) for item in nodes.items(text, "rules"))


def _rule(nodes: YamlNodes, item: yaml.Node) -> Rule:
    fields = nodes.mapping(item, _FIELDS)
    namespace, name = nodes.dataset(fields["dataset"])
    category = nodes.text(fields["category"])
    check_category(category, nodes.file, line_of(fields["category"]))
    return Rule.of(namespace, name, nodes.text(fields["path"]), category, line_of(item))


def check_category(category: str, file: str, line: int) -> None:
    """Raise ``RulesError`` for a category that is not one of personal data."""
    if category not in categories.known():
        detail = f"{category!r} is not a data category of fideslang"
        raise RulesError(file, line, detail, categories.near(category))
    if not categories.is_personal(category):
        raise RulesError(file, line, f"{category!r} is not personal data", "use user or a kind of it")
