"""The catalogue of a language: every text of a report, by its key.

Texts are YAML files beside this module, ``en.yaml`` and ``de.yaml``, with the same keys. A text may have places for
arguments, as in ``{count} more``. A *vocabulary* is a group of texts by the keys of an enum, such as the forms.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from functools import cache
from importlib import resources
from typing import Any


class Language(str, Enum):
    """The languages of reports."""

    EN = "en"
    DE = "de"


class Words:
    """The texts of one language."""

    def __init__(self, language: Language, texts: Mapping[str, str]) -> None:
        self.language = language
        self._texts = texts

    def __call__(self, key: str, **arguments: Any) -> str:
        """The text of the key, with its arguments. Raises ``KeyError`` for an unknown one."""
        text = self._texts[key]
        return text.format(**arguments) if arguments else text

    def of(self, vocabulary: str, key: str) -> str:
        """The text of a key of a vocabulary; the key itself if the vocabulary does not have it."""
        return self._texts.get(f"{vocabulary}.{key}", key)

    def known(self, key: str) -> str | None:
        """The text of the key, or None."""
        return self._texts.get(key)

    def keys(self) -> frozenset[str]:
        """All keys."""
        return frozenset(self._texts)


@cache
def words(language: Language) -> Words:
    """The catalogue of the language."""
    import yaml  # noqa: PLC0415 - for reports alone

    file = resources.files(__package__) / f"{language.value}.yaml"
    return Words(language, dict(_flat(yaml.safe_load(file.read_text("utf-8")), "")))


def _flat(tree: Mapping[str, Any], above: str) -> Iterator[tuple[str, str]]:
    for key, value in tree.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{above}{key}.")
        else:
            yield f"{above}{key}", str(value).strip()
