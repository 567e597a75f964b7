"""Reading of YAML files that people write: nodes, not values, because only nodes have line numbers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import yaml

from headwater_backend.domain.errors import RulesError


def read_text(file: Path) -> str:
    """The text of a file; raises ``RulesError`` when it cannot be read."""
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RulesError(str(file), 1, f"the file cannot be read: {error}") from error


class YamlNodes:
    """The nodes of one file, which is named in errors."""

    def __init__(self, file: str) -> None:
        self.file = file

    def items(self, text: str, of: str) -> list[yaml.Node]:
        """The items of the list that the file must be; ``of`` names them. An empty file has none."""
        root = self.root(text)
        if root is None:
            return []
        return self.list_of(root, f"the file must be a list of {of}")

    def list_of(self, node: yaml.Node, expected: str) -> list[yaml.Node]:
        """The items of a list; raises ``RulesError`` with what is expected for anything else."""
        if not isinstance(node, yaml.SequenceNode):
            raise self.error(node, expected, "begin each item with '- '")
        return list(node.value)

    def mapping(
        self, node: yaml.Node, required: Sequence[str], optional: Sequence[str] = ()
    ) -> dict[str, yaml.Node]:
        """The fields of a mapping by name; raises ``RulesError`` for a missing or an unknown one."""
        names = (*required, *optional)
        wanted = ", ".join(names)
        if not isinstance(node, yaml.MappingNode):
            raise self.error(node, f"a mapping with {wanted} is expected")
        for key, _ in node.value:
            if key.value not in names:
                raise self.error(key, f"unknown field {key.value!r}", f"the fields are {wanted}")
        found = {self.text(key): value for key, value in node.value}
        for name in required:
            if name not in found:
                raise self.error(node, f"the field {name!r} is missing", f"the fields are {wanted}")
        return found

    @staticmethod
    def has(node: yaml.Node, name: str) -> bool:
        """Whether the node is a mapping with that field."""
        return isinstance(node, yaml.MappingNode) and any(key.value == name for key, _ in node.value)

    def text(self, node: yaml.Node) -> str:
        """The text of a scalar that is not empty."""
        if not isinstance(node, yaml.ScalarNode) or not node.value:
            raise self.error(node, "a text is expected")
        return str(node.value)

    def dataset(self, node: yaml.Node) -> tuple[str | None, str]:
        """The patterns of a dataset's namespace and name; without a namespace, one for both."""
        if isinstance(node, yaml.ScalarNode):
            return None, self.text(node)
        parts = self.mapping(node, ("namespace", "name"))
        return self.text(parts["namespace"]), self.text(parts["name"])

    def error(self, node: yaml.Node, detail: str, hint: str | None = None) -> RulesError:
        """The error at that node."""
        return RulesError(self.file, line_of(node), detail, hint)

    def root(self, text: str) -> yaml.Node | None:
        """The node of the whole file, or None for an empty one; raises ``RulesError`` for a text that is not YAML."""
        try:
            return yaml.compose(text, Loader=yaml.SafeLoader)
        except yaml.MarkedYAMLError as error:
            line = error.problem_mark.line + 1 if error.problem_mark else 1
            raise RulesError(self.file, line, f"not YAML: {error.problem}") from error
        except yaml.YAMLError as error:
            raise RulesError(self.file, 1, f"not YAML: {error}") from error
        except RecursionError:
            raise RulesError(self.file, 1, "it is nested too deeply") from None


def line_of(node: yaml.Node) -> int:
    """The node's line, counted from 1."""
    return int(node.start_mark.line) + 1
