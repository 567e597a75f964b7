"""The data categories of fideslang's default taxonomy: dotted keys, each a kind of the one above."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from headwater_backend.domain.errors import UnknownCategory
from headwater_backend.questions.resolving import did_you_mean

PERSONAL = "user"
IDENTIFYING = (
    "user.unique_id",
    "user.name",
    "user.contact",
    "user.government_id",
    "user.biometric",
    "user.account",
    "user.device",
    "user.financial.bank_account",
    "user.financial.credit_card",
)
"""Categories by which a person, or the same person elsewhere, can be found."""

QUASI_IDENTIFYING = (
    "user.contact.address.city",
    "user.contact.address.country",
    "user.contact.address.postal_code",
    "user.contact.address.state",
    "user.demographic",
    "user.location",
)
"""Categories that many persons share, and of which few persons share several."""
TOGETHER = 3
"""The number of quasi-identifiers that are taken to identify a person together, such as a postal code, a date of birth
and a gender (L. Sweeney, Simple Demographics Often Identify People Uniquely, 2000)."""


@cache
def known() -> frozenset[str]:
    """All category keys. The taxonomy is slow to load, so it is loaded on first use."""
    from fideslang.default_taxonomy import DEFAULT_TAXONOMY  # noqa: PLC0415 - slow to load

    return frozenset(category.fides_key for category in DEFAULT_TAXONOMY.data_category)


def checked(category: str) -> str:
    """The category itself; raises ``UnknownCategory`` with the nearest ones."""
    if category not in known():
        raise UnknownCategory(f"{category!r} is not a data category of fideslang", near(category))
    return category


def near(category: str) -> str | None:
    """A hint with the most similar categories, or None."""
    return did_you_mean(category, sorted(known()))


def includes(category: str, key: str) -> bool:
    """Whether ``key`` is the category, or the data use, or a kind of it: user.contact includes user.contact.email."""
    return key == category or key.startswith(category + ".")


def is_personal(category: str) -> bool:
    """Whether the category is data about a person (and not about the system)."""
    return includes(PERSONAL, category)


def is_identifying(keys: Iterable[str]) -> bool:
    """Whether one of the categories is one by which a person is found."""
    return any(includes(category, key) for key in keys for category in IDENTIFYING)


def is_quasi_identifying(keys: Iterable[str]) -> bool:
    """Whether one of the categories is one by which a person is found together with others."""
    return any(includes(category, key) for key in keys for category in QUASI_IDENTIFYING)


def is_identifying_alone(keys: Iterable[str]) -> bool:
    """Whether one of the categories is one by which a person is found without others."""
    return any(is_identifying([key]) and not is_quasi_identifying([key]) for key in keys)


def listed(text: str) -> list[str]:
    """The keys of a tag's value, which may name several: ``user.name, user.contact.email``."""
    return [key for key in re.split(r"[,;\s]+", text.strip()) if key]
