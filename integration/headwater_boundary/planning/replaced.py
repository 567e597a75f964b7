"""Attributes of classes and modules that are replaced while a program is planned, and put back after it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from inspect import getattr_static
from types import ModuleType
from typing import Any, Final

_NONE: Final = object()


class Replaced:
    """What was replaced, and how to undo that."""

    def __init__(self) -> None:
        self._undo: list[Callable[[], object]] = []
        self._finder = _Finder()

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

    def when_imported(self, name: str, replace: Callable[[ModuleType], object]) -> None:
        """Replace attributes of a module as soon as the program imports it, which few programs do."""
        if (loaded := sys.modules.get(name)) is not None:
            replace(loaded)
            return
        if not self._finder.waiting:
            sys.meta_path.insert(0, self._finder)
            self._undo.append(lambda: sys.meta_path.remove(self._finder))
        self._finder.waiting.setdefault(name, []).append(replace)

    def undo(self) -> None:
        """Put back what was there."""
        while self._undo:
            self._undo.pop()()


class _Finder(MetaPathFinder):
    """Finds modules where Python finds them; ``waiting`` is what to do when they are loaded, by their names."""

    def __init__(self) -> None:
        self.waiting: dict[str, list[Callable[[ModuleType], object]]] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in self.waiting:
            return None
        found = PathFinder.find_spec(fullname, path, target)
        if found is not None and found.loader is not None:
            found.loader = _Loader(found.loader, self.waiting[fullname])
        return found


class _Loader(Loader):
    """Loads a module as another loader does, and does then what waited for it."""

    def __init__(self, loader: Loader, waiting: Sequence[Callable[[ModuleType], object]]) -> None:
        self._loader, self._waiting = loader, waiting

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        for replace in self._waiting:
            replace(module)
