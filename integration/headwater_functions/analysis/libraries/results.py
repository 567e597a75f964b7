"""The result of a call of a library: by its rule, by what is known of its module, or as of code that is not read."""

from __future__ import annotations

from headwater_functions.analysis.callables import UNREAD, Call, Library
from headwater_functions.analysis.calls import apart, of_callbacks
from headwater_functions.analysis.frame import Frame
from headwater_functions.analysis.instructions.calling import class_of
from headwater_functions.analysis.libraries.modules import changed_property
from headwater_functions.analysis.libraries.pure import PURE, REFUSED
from headwater_functions.analysis.libraries.table import BUILDING, LIBRARY
from headwater_functions.analysis.methods import method_result
from headwater_functions.analysis.values import Value


def library_result(f: Frame, called: Library, call: Call) -> Value:
    """The result of a function, or of a class, of a library."""
    name = called.name
    if name == "\0class":
        return class_of(f, call)
    if name.startswith("property()."):
        return changed_property(f, called, call)
    rule = LIBRARY.get(name)
    if rule is not None:
        return apart(f, rule, call, arguments=True) if rule in BUILDING else rule(f, call)
    refused = _refused(name)
    if refused:
        raise f.unreadable("OUTSIDE", f"{refused} ({name})", "give the function what it needs as an argument")
    if name.startswith(UNREAD):
        return f.touched([*called.values, *call.all], f"it calls {name[1:]}, which is not read")
    base, _, attribute = name.rpartition(".")
    if base.endswith("()") or base.split(".")[0] in _TYPES:
        return _method_of_library(f, called, base, attribute, call)
    if any(name == p or name.startswith(f"{p}.") for p in PURE):
        given = of_callbacks(f, call)
        if "out" in call.keywords or name.endswith(".at"):
            raise f.unreadable("IN_PLACE", f"{name} changes an array in place", "take its result")
        return f.compute([*called.values, *call.all, *given])
    return f.touched([*called.values, *call.all], f"it calls {name}, which is not known")


_TYPES = frozenset({"str", "bytes", "int", "float", "dict", "list", "set"})


def _refused(name: str) -> str:
    parts = name.split(".")
    whole = (".".join(parts[:n]) for n in range(len(parts), 0, -1))
    found = next((p for p in whole if p in REFUSED), "")
    if any(name == p or name.startswith(f"{p}.") for p in PURE if len(p) > len(found)):
        return ""
    return REFUSED.get(found, "")


def _method_of_library(f: Frame, called: Library, base: str, name: str, call: Call) -> Value:
    """A method of an object that the module made, or of a type, whose first argument is the object."""
    if base in _TYPES and call.args and not call.spread:
        return method_result(f, Call(name, call.args[1:], call.keywords, call.args[0]))
    if not base.endswith("()") or not any(base.startswith(p) for p in PURE):
        return f.touched([*called.values, *call.all], f"it calls {base}.{name}, which is not known")
    if name in ("update", "append", "add", "setdefault", "pop", "extend", "clear", "popitem", "remove"):
        raise f.unreadable("GLOBAL", "it changes an object of its module", "keep state out of functions")
    return method_result(f, Call(name, call.args, call.keywords, Value(other=True), call.spread))
