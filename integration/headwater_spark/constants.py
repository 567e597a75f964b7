"""The policy for a program's constants in events: ``spark.headwater.literals``.

A constant may be data: ``F.lit(ssn)``. How it is emitted depends on its position.

- In a *value position* it is, or may become, a part of a value: a column, a map's key, a default, an argument of a
  function. An uncertain position is treated as a value position.
- In a *predicate* it is only compared: ``WHERE state = 'open'``. Queries about conditions need it.
- As a *selector* it identifies a part: ``items[0]``, ``props['k']``, ``'$.user.id'``. It is treated as in a predicate.

=============== =============== ======================== ================================================
setting         value position  predicate, selector      the same, after the application collected data
=============== =============== ======================== ================================================
``show``        as it is        as it is                 as it is
``predicates``  ``<string>``    as it is                 a token
``hide``        ``<string>``    ``<string>``             ``<string>``
=============== =============== ======================== ================================================

A token is ``token:<key>:<digest>``, a keyed digest of the constant. The key is random, created for each application by
the agent's process, and kept in its memory only. So two tokens of one application are equal exactly if their constants
are, and a constant cannot be found by trying all of them, as would be possible with the billion social security numbers
and a key on disk. Tokens of different applications, with different ``<key>``, cannot be compared: unequal ones may
stand for equal constants. Tokens have no order.
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
        """The setting with that name; the default for any other text."""
        return next((each for each in cls if each.value == text.strip().lower()), cls.PREDICATES)


class Tokens:
    """Creates the tokens of one application."""

    __slots__ = ("_key", "_name")

    def __init__(self) -> None:
        self._key = secrets.token_bytes(32)
        self._name = secrets.token_hex(3)

    def of(self, constant: object) -> str:
        """The token for a constant; equal constants have the same token."""
        digest = hmac.new(self._key, str(constant).encode("utf-8", "surrogatepass"), sha256)
        return f"token:{self._name}:{digest.hexdigest()[:16]}"


@dataclass(frozen=True, slots=True)
class Constants:
    """The policy for the constants of one execution; ``tokens`` is set if the application collected data before."""

    setting: Setting = Setting.PREDICATES
    tokens: Tokens | None = field(default=None, repr=False)

    @property
    def shows_all(self) -> bool:
        """Whether all constants are emitted, and all texts that may contain one."""
        return self.setting is Setting.SHOW

    def in_value(self, text: str, placeholder: str) -> str:
        """The emitted text of a constant in a value position."""
        return text if self.shows_all else placeholder

    def in_predicate(self, constant: object, text: str, placeholder: str) -> str:
        """The emitted text of a constant in a predicate or as a selector."""
        if self.setting is Setting.HIDE:
            return placeholder
        return text if self._token_maker is None else self._token_maker.of(constant)

    @property
    def uses_tokens(self) -> bool:
        """Whether predicates contain tokens."""
        return self._token_maker is not None

    @property
    def _token_maker(self) -> Tokens | None:
        return self.tokens if self.setting is Setting.PREDICATES else None


BY_DEFAULT: Final = Constants()
"""The policy without a setting, before any data is collected."""
