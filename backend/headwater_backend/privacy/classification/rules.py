"""Rules on personal data: which paths are personal, and what a company's own functions make of values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final, NamedTuple

from headwater_backend.domain.errors import RulesError
from headwater_backend.privacy.classification import categories
from headwater_backend.privacy.classification.place_patterns import PlacePattern
from headwater_backend.privacy.forms import Form


@dataclass(frozen=True, slots=True)
class Rule(PlacePattern):
    """The paths of some datasets hold data of one category."""

    category: str
    paths_in_any_case: ClassVar[bool] = True

    @classmethod
    def of(cls, namespace: str | None, name: str, path: str, category: str, line: int) -> Rule:
        """The rule of these patterns. Raises ``RulesError`` for a category that is not one of personal data."""
        check_category(category, "rules", line)
        return cls((namespace or "", name), path, line, category)


class FunctionRule(NamedTuple):
    """What a function makes of a value; its name counts without case."""

    function: str
    form: Form
    line: int


class Rules(NamedTuple):
    """Rules on paths and on functions, in their order."""

    paths: tuple[Rule, ...] = ()
    functions: tuple[FunctionRule, ...] = ()


NO_RULES: Final = Rules()


def check_category(category: str, file: str, line: int) -> None:
    """Raise ``RulesError`` for a category that is not one of personal data."""
    if category not in categories.known():
        detail = f"{category!r} is not a data category of fideslang"
        raise RulesError(file, line, detail, categories.near(category))
    if not categories.is_personal(category):
        raise RulesError(file, line, f"{category!r} is not personal data", "use user or a kind of it")
