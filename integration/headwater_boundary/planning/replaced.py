"""Attributes of classes and modules that are replaced while a program is planned, and put back after it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from inspect import getattr_static
from types import ModuleType
from typing import Any, Final

_NONE: Final = object()


class Replaced:
    """What was replaced, and how to undo that."""

    def __init__(self) -> None:
        self._undo: list[Callable[[], object]] = []

    def put(self, owner: Any, name: str, make: Callable[[Any], Any]) -> None:
        """Replace an attribute by what is made of it, own or inherited; an owner without it is left alone."""
        before = getattr_static(owner, name, _NONE)
        if before is not _NONE:
            self.set(owner, name, make(before))

    def set(self, owner: Any, name: str, value: Any) -> None:
        """Give the owner an attribute of its own."""
        before = vars(owner).get(name, _NONE)
        if before is _NONE:
            self._undo.append(lambda: delattr(owner, name))
        else:
            self._undo.append(lambda: setattr(owner, name, before))
        setattr(owner, name, value)

    def put_module(self, name: str, module: ModuleType) -> None:
        """Have imports of a name give another module."""
        before = sys.modules.get(name)
        if before is None:
            self._undo.append(lambda: sys.modules.pop(name, None))
        else:
            self._undo.append(lambda: sys.modules.__setitem__(name, before))
        sys.modules[name] = module

    def undo(self) -> None:
        """Put back what was there."""
        while self._undo:
            self._undo.pop()()
