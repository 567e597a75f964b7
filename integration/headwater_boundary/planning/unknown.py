"""In place of values that a program would have collected: nothing is known of them, and using them says so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

MARK = "value-not-known-while-planning"
"""What stands for such a value in a text."""


class NotKnownError(Exception):
    """The program needs a value that only a run can tell; ``line`` is where it was to be collected."""

    def __init__(self, what: str, line: str) -> None:
        super().__init__(f"the program goes on by what {what} at {line} gives, which only a run can tell")
        self.what = what
        self.line = line


HANDS_ON = ("to_", "write", "save", "dump", "insert", "upload", "put", "send", "post")
"""How the names of methods begin that give a value to something else, such as a file."""


class Unknown:
    """A value that was to be collected. Parts of it, and what is computed of it, are not known either.

    ``handed_on`` is called with the name of a method that gives it to something else.
    """

    def __init__(
        self, what: str, line: str, handed_on: Callable[[str], object] = lambda _: None, asked: str = ""
    ) -> None:
        self._what = what
        self._line = line
        self._handed_on = handed_on
        self._asked = asked

    def _same(self, *_: Any, **__: Any) -> Unknown:
        return self

    def _needed(self, *_: Any) -> NoReturn:
        raise NotKnownError(self._what, self._line)

    def __getattr__(self, name: str) -> Unknown:
        if name.startswith("__") or name in {"_get_object_id", "_jc", "_jdf"}:
            raise AttributeError(name)
        return Unknown(self._what, self._line, self._handed_on, name)

    def __call__(self, *_: Any, **__: Any) -> Unknown:
        if self._asked.startswith(HANDS_ON):
            self._handed_on(self._asked)
        return self

    def __str__(self) -> str:
        return f"<{MARK}: {self._line}>"

    __repr__ = __str__

    def __format__(self, _: str) -> str:
        return str(self)

    def __hash__(self) -> int:
        return self._needed()

    __getitem__ = __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _same
    __truediv__ = __rtruediv__ = __floordiv__ = __mod__ = __neg__ = __round__ = __abs__ = _same
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _same  # type: ignore[assignment]  # no truth values
    __bool__ = __iter__ = __len__ = __int__ = __float__ = __index__ = __contains__ = _needed
