"""The catalogue of a language: every text of a report, by its key.

Texts are YAML files beside this module, ``en.yaml`` and ``de.yaml``, with the same keys. A text may have places for
arguments, as in ``{count} more``. A *vocabulary* is a group of texts by the keys of an enum, such as the forms. Names
of countries are those of CLDR.

*Details* of gaps are written in English where they are found. Those that Headwater writes itself are templates in the
group ``details``: a text that fits an English template is written by the template of the language with the same
arguments, which may be such texts themselves where ``nested.yaml`` names them. All others, such as those of other
producers, stay as they are. The explorer says these texts, too, and in the same way *errors*: the messages and hints of
the server, with a sentence for each code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from functools import cache
from importlib import resources
from typing import Any, Final

COUNTRIES: Final = "countries"
"""The vocabulary of countries, by their codes of ISO 3166-1."""


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
        if vocabulary == COUNTRIES:
            return self.country(key)
        return self._texts.get(f"{vocabulary}.{key}", key)

    def country(self, code: str) -> str:
        """``Germany (DE)``; what is no code of a country as it is."""
        name = self.country_name(code)
        return f"{name} ({code})" if name != code else code

    def country_name(self, code: str) -> str:
        """``Germany``; what is no code of a country as it is."""
        return _countries(self.language).get(code, code)

    def countries(self, codes: Iterable[str]) -> str:
        """The countries, with a comma between them."""
        return ", ".join(map(self.country, codes))

    def known(self, key: str) -> str | None:
        """The text of the key, or None."""
        return self._texts.get(key)

    def detail(self, text: str, group: str = "details") -> str:
        """The detail of a gap, in this language if it is one that Headwater writes; or a text of another group."""
        if self.language is Language.EN:
            return text
        for key, pattern in _patterns(group):
            if found := pattern.fullmatch(text):
                arguments = {
                    name: self.detail(value) if name in _nested() else value
                    for name, value in found.groupdict().items()
                }
                return self(key, **arguments)
        return text

    def ordered(self) -> tuple[str, ...]:
        """All keys in the order of the file."""
        return tuple(self._texts)

    def keys(self) -> frozenset[str]:
        """All keys."""
        return frozenset(self._texts)


@cache
def _patterns(group: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """The English templates of a group as patterns, in their order, each with its key."""
    english = words(Language.EN)
    return tuple((key, _pattern(english(key))) for key in english.ordered() if key.startswith(f"{group}."))


def _pattern(template: str) -> re.Pattern[str]:
    """The pattern of the texts that a template makes."""
    parts = re.split(r"{(\w+)}", template)
    return re.compile(
        "".join(f"(?P<{part}>.+?)" if place % 2 else re.escape(part) for place, part in enumerate(parts)),
        re.DOTALL,
    )


@cache
def _nested() -> frozenset[str]:
    return frozenset(_read("nested"))


@cache
def _countries(language: Language) -> Mapping[str, str]:
    """The names of countries by their codes, from CLDR."""
    from babel import Locale  # noqa: PLC0415 - for reports that name countries alone

    return Locale(language.value).territories


@cache
def words(language: Language) -> Words:
    """The catalogue of the language."""
    return Words(language, dict(_flat(_read(language.value), "")))


def _read(name: str) -> Any:
    import yaml  # noqa: PLC0415 - for reports alone

    return yaml.safe_load((resources.files(__package__) / f"{name}.yaml").read_text("utf-8"))


def remedy(reason: str, language: Language = Language.EN) -> str:
    """What to do about a gap with that reason."""
    texts = words(language)
    return texts.known(f"remedies.{reason}") or texts("remedies.OTHER")


def _flat(tree: Mapping[str, Any], above: str) -> Iterator[tuple[str, str]]:
    for key, value in tree.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{above}{key}.")
        else:
            yield f"{above}{key}", str(value).strip()
