"""Variables: of a function, of those around it, and of its module."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headwater_functions.analysis.callables import Library
from headwater_functions.analysis.constants import value_of_record
from headwater_functions.analysis.frame import Frame
from headwater_functions.analysis.instructions.stack import Operation
from headwater_functions.analysis.values import COMPUTED, NOTHING, Value, constant, join, with_edges

MODULE = "<module>"
"""What Python calls the code of a module, whose own names are the global ones."""


def _load_fast(f: Frame, name: Any) -> None:
    f.push(f.state.names.get(name, COMPUTED))


def _store_fast(f: Frame, name: Any) -> None:
    f.state.names[name] = with_edges(f.pop(), f.pc.edges, f.pc.opaque)


def _delete_fast(f: Frame, name: Any) -> None:
    f.state.names.pop(name, None)


def _load_and_clear(f: Frame, name: Any) -> None:
    f.push(f.state.names.pop(name, NOTHING))


def _load_deref(f: Frame, name: Any) -> None:
    held = f.state.names.get(f"\0{name}")
    if held is None:
        raise f.unreadable("CONSTRUCT", f"it uses {name} from around it, which is not known")
    cells = [made.part("content") for _, made in f.objects(held) if made.kind == "cell"]
    f.push(join(*cells) if cells else held)


def _store_deref(f: Frame, name: Any) -> None:
    held = f.state.names.get(f"\0{name}", NOTHING)
    value = f.pop()
    if not any(made.kind == "cell" for _, made in f.objects(held)):
        raise f.unreadable(
            "GLOBAL", f"it changes {name} of an enclosing function", "keep state out of functions"
        )
    f.put(held, constant("content"), with_edges(value, f.pc.edges, f.pc.opaque))


def _load_closure(f: Frame, name: Any) -> None:
    f.state.stack.append(f.state.names.get(f"\0{name}", COMPUTED))


def _load_global(f: Frame, name: Any) -> None:
    scope = f.function.scope
    if name in scope:
        f.push(value_of_record(scope[name], scope))
    elif (known := f.reader.around(name)) is not None:
        f.push(known)
    else:
        f.push(Value(calls=frozenset((Library(str(name)),))))


def _load_name(f: Frame, name: Any) -> None:
    if name in f.state.names:
        f.push(f.state.names[name])
    else:
        _load_global(f, name)


def _store_name(f: Frame, name: Any) -> None:
    f.state.names[name] = f.pop()


def _store_global(f: Frame, name: Any) -> None:
    if f.function.code.name == MODULE:
        _store_name(f, name)
        return
    raise f.unreadable("GLOBAL", f"it changes the global {name}", "keep state out of functions")


OPERATIONS: Mapping[str, Operation] = {
    "LOAD_FAST": _load_fast,
    "STORE_FAST": _store_fast,
    "DELETE_FAST": _delete_fast,
    "LOAD_FAST_AND_CLEAR": _load_and_clear,
    "LOAD_DEREF": _load_deref,
    "STORE_DEREF": _store_deref,
    "LOAD_CLOSURE": _load_closure,
    "LOAD_GLOBAL": _load_global,
    "STORE_GLOBAL": _store_global,
    "LOAD_NAME": _load_name,
    "STORE_NAME": _store_name,
}
