"""Which of a program's constants leave in events: ``spark.headwater.literals``.

A constant may be data: ``F.lit(ssn)``. What leaves of it depends on where it stands.

- In a *value position* it becomes, or may become, a part of a value: a column, a map's key, a default, an argument of a
  function. Where the position is not certain, it counts as one.
- In a *predicate* it only decides: ``WHERE state = 'open'``. Questions about conditions need it.
- As a *selector* it names a place: ``items[0]``, ``props['k']``, ``'$.user.id'``. It is treated as in a predicate.

=============== =============== ======================== ================================================
setting         value position  predicate, selector      the same, after the application collected data
=============== =============== ======================== ================================================
``show``        as it is        as it is                 as it is
``predicates``  ``<string>``    as it is                 a token
``hide``        ``<string>``    ``<string>``             ``<string>``
=============== =============== ======================== ================================================

A token is ``token:<key>:<digest>``, a keyed digest of the constant. The key is random, made when the agent's process
meets the application, kept in its memory only and gone with it. So two tokens of one application are the same exactly
when their constants are, and nobody can find a constant by trying all of them, as one could with the billion social
security numbers and a key on a disk. Tokens of different applications, told apart by ``<key>``, say nothing about each
other: unequal ones may stand for equal constants. Tokens have no order.
"""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass, field
from enum import Enum
from hashlib import sha256
from typing import Final

KEY: Final = "spark.headwater.literals"


class Setting(Enum):
    """The values of ``spark.headwater.literals``."""

    SHOW = "show"
    PREDICATES = "predicates"
    HIDE = "hide"

    @classmethod
    def of(cls, text: str) -> Setting:
        """The setting of that name; the default for any other text."""
        return next((each for each in cls if each.value == text.strip().lower()), cls.PREDICATES)


class Tokens:
    """Makes the tokens of one application."""

    __slots__ = ("_key", "_name")

    def __init__(self) -> None:
        self._key = secrets.token_bytes(32)
        self._name = secrets.token_hex(3)

    def of(self, constant: object) -> str:
        """The token that stands for the constant: equal ones have the same."""
        digest = hmac.new(self._key, str(constant).encode("utf-8", "surrogatepass"), sha256)
        return f"token:{self._name}:{digest.hexdigest()[:16]}"


@dataclass(frozen=True, slots=True)
class Constants:
    """What leaves of the constants of one execution; ``tokens`` is given once the application has collected data."""

    setting: Setting = Setting.PREDICATES
    tokens: Tokens | None = field(default=None, repr=False)

    @property
    def shows_all(self) -> bool:
        """Whether every constant leaves, and with it every text that may hold one."""
        return self.setting is Setting.SHOW

    def in_value(self, text: str, placeholder: str) -> str:
        """What a constant's text becomes in a value position."""
        return text if self.shows_all else placeholder

    def in_predicate(self, constant: object, text: str, placeholder: str) -> str:
        """What a constant's text becomes in a predicate and as a selector."""
        if self.setting is Setting.HIDE:
            return placeholder
        return text if self._token_maker is None else self._token_maker.of(constant)

    @property
    def uses_tokens(self) -> bool:
        """Whether predicates hold tokens."""
        return self._token_maker is not None

    @property
    def _token_maker(self) -> Tokens | None:
        return self.tokens if self.setting is Setting.PREDICATES else None


BY_DEFAULT: Final = Constants()
"""Where nothing is set and nothing was collected."""
