"""The result of a call of a library: by its rule, by what is known of its module, or as of code that is not read."""

from __future__ import annotations

from headwater_functions.analysis.callables import UNREAD, Call, Library
from headwater_functions.analysis.calls import Rule, of_callbacks
from headwater_functions.analysis.frame import Frame
from headwater_functions.analysis.handed import apart, whole
from headwater_functions.analysis.instructions.calling import class_of
from headwater_functions.analysis.libraries.iterating import as_decided
from headwater_functions.analysis.libraries.modules import changed_property
from headwater_functions.analysis.libraries.pure import PURE, REFUSED
from headwater_functions.analysis.libraries.table import BUILDING, HEEDLESS, LIBRARY
from headwater_functions.analysis.methods import VIEWS, method_result
from headwater_functions.analysis.values import HELD, Value, join


def library_result(f: Frame, called: Library, call: Call) -> Value:
    """The result of a function, or of a class, of a library."""
    name = called.name
    if name == "\0class":
        return class_of(f, call)
    if name.startswith("property()."):
        return changed_property(f, called, call)
    rule = LIBRARY.get(name)
    if rule is not None:
        return _array(name, _by_rule(f, rule, call))
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
        if _writes(name, call):
            raise f.unreadable("IN_PLACE", f"{name} changes an array in place", "take its result")
        found = f.compute([*called.values, *call.all, *given])
        if name.startswith("itertools."):
            return as_decided(f, f.iterator(found, call.all), found)
        return _array(name, found)
    return f.touched([*called.values, *call.all], f"it calls {name}, which is not known")


def _by_rule(f: Frame, rule: Rule, call: Call) -> Value:
    if rule in HEEDLESS:
        return rule(f, call)
    return apart(f, rule, call, arguments=True) if rule in BUILDING else whole(f, rule, call)


def _array(name: str, found: Value) -> Value:
    """The result, which may be an array or a column of constants, that others have and change in place."""
    is_array = name.startswith(("numpy.", "pandas."))
    return join(found, HELD) if is_array and not found.refs and not found.edges else found


_ONE_INPUT = (
    "abs absolute fabs negative positive sign sqrt cbrt square exp exp2 expm1 log log2 log10 log1p rint floor ceil "
    "trunc sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh degrees radians deg2rad rad2deg "
    "reciprocal isnan isinf isfinite signbit spacing invert bitwise_not logical_not conj conjugate"
)
_TWO_INPUTS = (
    "add subtract multiply divide true_divide floor_divide power float_power mod remainder fmod maximum minimum fmax "
    "fmin arctan2 hypot copysign nextafter logaddexp logaddexp2 gcd lcm ldexp heaviside matmul dot bitwise_and "
    "bitwise_or bitwise_xor left_shift right_shift logical_and logical_or logical_xor greater greater_equal less "
    "less_equal equal not_equal"
)
_INPUTS = {**dict.fromkeys(_ONE_INPUT.split(), 1), **dict.fromkeys(_TWO_INPUTS.split(), 2)}
"""How many arguments functions of NumPy take, after which an array comes that their result is written into."""


def _writes(name: str, call: Call) -> bool:
    """Whether a function of NumPy is given an array that its result is written into."""
    package, _, plain = name.rpartition(".")
    count = _INPUTS.get(plain)
    by_place = package == "numpy" and count is not None and (len(call.args) > count or call.spread)
    return "out" in call.keywords or plain == "at" or by_place


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
    found = method_result(f, Call(name, call.args, call.keywords, Value(other=True), call.spread))
    return join(found, HELD) if name in VIEWS or name == "get" else found
