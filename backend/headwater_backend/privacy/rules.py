"""Rules that name personal attributes, as a YAML file given to the server.

::

    - dataset: "food_delivery public.*"         # on "namespace name"; or a mapping:
      path: "email"
      category: user.contact.email
    - dataset: {namespace: "file*", name: "*tweets*"}
      path: "**.user.*"
      category: user

Patterns: ``*`` is any text within one step of a path (within a dataset's name: any text), ``**.`` any number
of leading steps, ``**`` any text, ``?`` one character; all else is literal: ``mentions[].id`` means itself. A
pattern matches a whole path as people write it. Categories are fideslang's ``user`` and its kinds, and are
checked when the file is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

from headwater_backend.domain.errors import RulesError
from headwater_backend.domain.model import DatasetKey
from headwater_backend.domain.patterns import Pattern, name_pattern, wildcards
from headwater_backend.privacy import categories

_FIELDS = ("dataset", "path", "category")


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: the paths of some datasets that hold data of one category; ``line`` is its line in the file."""

    namespace: Pattern | None
    name: Pattern
    path: Pattern
    category: str
    line: int
    dataset_text: tuple[str, str] = ("", "")
    """The patterns of namespace and name as they are written; the first is empty where one is for both."""
    path_text: str = ""

    @classmethod
    def of(cls, namespace: str | None, name: str, path: str, category: str, line: int) -> Rule:
        """The rule of these patterns. Raises ``RulesError`` for a category that is not one of personal data."""
        _check_category(category, "rules", line)
        return cls(
            namespace=None if namespace is None else name_pattern(namespace),
            name=name_pattern(name),
            path=_path_pattern(path),
            category=category,
            line=line,
            dataset_text=(namespace or "", name),
            path_text=path,
        )

    def covers(self, dataset: DatasetKey) -> bool:
        """Whether the rule applies to this dataset; without a namespace, the pattern is for both names."""
        if self.namespace is None:
            return self.name.fullmatch(f"{dataset.namespace} {dataset.name}") is not None
        return bool(self.namespace.fullmatch(dataset.namespace) and self.name.fullmatch(dataset.name))


def read_rules(file: Path) -> tuple[Rule, ...]:
    """The rules of a file, in its order. Raises ``RulesError`` with the line, also when it cannot be read."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RulesError(str(file), 1, f"the file cannot be read: {error}") from error
    return parse_rules(text, str(file))


def parse_rules(text: str, file: str = "rules") -> tuple[Rule, ...]:
    """The rules of a YAML text; ``file`` is named in errors."""
    return tuple(_Reader(file).rules(text))


class _Reader:
    """A reader of YAML nodes, not values, because only nodes have line numbers."""

    def __init__(self, file: str) -> None:
        self._file = file

    def rules(self, text: str) -> Iterator[Rule]:
        root = self._composed(text)
        if root is None:
            return
        if not isinstance(root, yaml.SequenceNode):
            raise self._error(root, "the file must be a list of rules", "begin each rule with '- dataset: …'")
        for item in root.value:
            yield self._rule(item)

    def _composed(self, text: str) -> yaml.Node | None:
        try:
            return yaml.compose(text, Loader=yaml.SafeLoader)
        except yaml.MarkedYAMLError as error:
            line = error.problem_mark.line + 1 if error.problem_mark else 1
            raise RulesError(self._file, line, f"not YAML: {error.problem}") from error
        except yaml.YAMLError as error:
            raise RulesError(self._file, 1, f"not YAML: {error}") from error

    def _rule(self, item: yaml.Node) -> Rule:
        fields = self._mapping(item, _FIELDS)
        namespace, name = self._dataset(fields["dataset"])
        category = self._text(fields["category"])
        _check_category(category, self._file, fields["category"].start_mark.line + 1)
        return Rule.of(namespace, name, self._text(fields["path"]), category, item.start_mark.line + 1)

    def _dataset(self, node: yaml.Node) -> tuple[str | None, str]:
        if isinstance(node, yaml.ScalarNode):
            return None, self._text(node)
        parts = self._mapping(node, ("namespace", "name"))
        return self._text(parts["namespace"]), self._text(parts["name"])

    def _mapping(self, node: yaml.Node, names: tuple[str, ...]) -> dict[str, yaml.Node]:
        wanted = ", ".join(names)
        if not isinstance(node, yaml.MappingNode):
            raise self._error(node, f"a mapping with {wanted} is expected")
        found = {self._text(key): value for key, value in node.value}
        for key, _ in node.value:
            if key.value not in names:
                raise self._error(key, f"unknown field {key.value!r}", f"the fields are {wanted}")
        for name in names:
            if name not in found:
                raise self._error(node, f"the field {name!r} is missing", f"the fields are {wanted}")
        return found

    def _text(self, node: yaml.Node) -> str:
        if not isinstance(node, yaml.ScalarNode) or not node.value:
            raise self._error(node, "a text is expected")
        return str(node.value)

    def _error(self, node: yaml.Node, detail: str, hint: str | None = None) -> RulesError:
        return RulesError(self._file, node.start_mark.line + 1, detail, hint)


def _check_category(category: str, file: str, line: int) -> None:
    if category not in categories.known():
        detail = f"{category!r} is not a data category of fideslang"
        raise RulesError(file, line, detail, categories.near(category))
    if not categories.is_personal(category):
        raise RulesError(file, line, f"{category!r} is not personal data", "use user or a kind of it")


_PATH_WILDCARDS = {"**.": r"(?:.*\.)?", "**": ".*", "*": r"[^.\[\]{}]*", "?": r"[^.\[\]{}]"}


def _path_pattern(text: str) -> Pattern:
    return wildcards(text, r"\*\*\.|\*\*|\*|\?", tuple(_PATH_WILDCARDS.items()))
