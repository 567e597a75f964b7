"""Classes of the program as records: what they inherit, and whether instances are more than holders of attributes."""

from __future__ import annotations

import builtins
from typing import Any, Final

from headwater_functions.analysis.callables import Closure, Library, OwnClass
from headwater_functions.analysis.values import Value
from headwater_functions.bytecode.program import program_of
from headwater_functions.code import Built, Class, Code, Function, Named, in_order

_READ: Final = frozenset(["__init__", "__post_init__", "__call__", "__repr__", "__str__"])
"""The special methods that are called by name, or tell no more than all of the instance."""
_BOUND: Final = frozenset(["__get__"])
"""What an object of a class may have that stands in another class: it is called where instances are asked for it."""
_COMPARING: Final = frozenset(["__eq__", "__hash__", "__lt__", "__le__", "__gt__", "__ge__"])
"""Those that a function's own instances may have besides, if they keep nothing."""
_PLAIN_BASES: Final = {"namedtuple": ("object", "tuple", "NamedTuple")}
EXCEPTIONS: Final = frozenset(
    name
    for name, each in vars(builtins).items()
    if isinstance(each, type) and issubclass(each, BaseException)
)
_HOLDING: Final = frozenset({"object", "ABC", "Generic"} | EXCEPTIONS)
_PLAIN_CLASSES: Final = ("type", "ABCMeta")
_ENUMERATIONS: Final = frozenset({"Enum", "IntEnum", "StrEnum"})
_GENERATED: Final = "<string>"
"""The file of methods that ``dataclass`` and ``namedtuple`` write; so may be that of a program's own code."""
_WRITTEN: Final = {
    "dataclass": frozenset(
        [
            *("__init__", "__repr__", "__eq__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__"),
            *("__setattr__", "__delattr__", "__replace__"),
        ]
    ),
    "namedtuple": frozenset(["__new__", "__repr__", "__getnewargs__"]),
}
_NAMES_WRITTEN: Final = frozenset(
    [
        *("__class__", "NotImplemented", "BUILTINS", "MISSING", "FrozenInstanceError", "__post_init__"),
        *("__setattr__", "__delattr__", "__qualname__", "object", "hash", "type", "super", "cls"),
    ]
)
_PREFIXES: Final = ("_dflt_", "_type_", "__dataclass_", "_HAS_", "_return_type")
"""How names begin that only such methods use."""
_CHANGES: Final = (
    "STORE_ATTR",
    "STORE_SUBSCR",
    "STORE_GLOBAL",
    "STORE_DEREF",
    "DELETE_ATTR",
    "DELETE_SUBSCR",
)


def chain(record: Class) -> tuple[Class, ...]:
    """The class and what it inherits from, in the order in which Python looks into them."""
    return in_order(record, own_base)


def own_base(base: Any) -> Class | None:
    """The record of a base that the program defines."""
    if isinstance(base, Value):
        classes = [c.record for c in base.calls if isinstance(c, OwnClass)]
        return classes[0] if len(classes) == len(base.calls) == 1 else None
    return base if isinstance(base, Class) else None


def find(record: Class, name: str, above: Class | None = None) -> tuple[Any, Class] | None:
    """The member that instances have under the name, and the class that has it; ``above``: only what that inherits."""
    classes = chain(record)
    if above is not None:
        if above not in classes:
            return None
        classes = classes[classes.index(above) + 1 :]
    return next(((each.members[name], each) for each in classes if name in each.members), None)


def unusual(kind: OwnClass, *, kept: bool) -> str:
    """Why nobody knows what instances of the class do; empty if they hold attributes and have methods.

    ``kept``: of instances that the program made before, in which something may be kept from one call to the next.
    """
    classes = chain(kind.record)
    for each in classes:
        reason = _unusual(each, kind.kind if each is kind.record else "class", kept=kept)
        if reason:
            return f"its class {each.name} {reason}"
    return ""


def _unusual(record: Class, kind: str, *, kept: bool) -> str:
    plain = _PLAIN_BASES.get(kind, _HOLDING)
    others = [base for base in record.bases if not names_of(base) & set(plain)]
    if record.odd:
        return record.odd
    if any(own_base(base) is None for base in others) or (others and kind == "namedtuple"):
        return "is made of others"
    if record.metaclass is not None and not names_of(record.metaclass) & set(_PLAIN_CLASSES):
        return "is made by another class"
    unknown = [n for n, m in record.members.items() if isinstance(m, Value) and m.opaque]
    if unknown:
        return f"has {unknown[0]}, of which nobody knows what it does"
    written = {
        n: m
        for n, m in record.members.items()
        if n[:2] == n[-2:] == "__" and not _is_generated(n, m, record, kind)
    }
    known = _READ - ({"__init__"} if kind != "class" else set()) | (_BOUND if kept else _COMPARING)
    for name, member in sorted(written.items()):
        codes = codes_of(member)
        if (codes or is_descriptor(member)) and name not in known:
            return f"defines {name}"
        if name in _COMPARING and any(map(_changes_something, codes)):
            return f"keeps something in {name}"
    return ""


def is_exception(kind: OwnClass) -> bool:
    """Whether it inherits from an exception of Python's, whose arguments an instance keeps besides."""
    return any(names_of(base) & EXCEPTIONS for each in chain(kind.record) for base in each.bases)


def is_enumeration(kind: OwnClass, *, plain: bool = True) -> bool:
    """Whether it is an enumeration without methods: calling it gives the member of a value, or raises.

    Without ``plain``: without special methods.
    """
    bases, members = kind.record.bases, kind.record.members
    known = bool(bases) and all(names_of(base) & _ENUMERATIONS for base in bases)
    return known and not any(codes_of(m) for n, m in members.items() if plain or n.startswith("__"))


def names_of(base: Any) -> set[str]:
    """The names of what is no class of the program, without its module."""
    called = [c.name for c in base.calls if isinstance(c, Library)] if isinstance(base, Value) else []
    name = base.name if isinstance(base, Named) else ""
    return {name, *(n.rpartition(".")[2] for n in called)} - {""}


def codes_of(member: Any) -> list[Code]:
    """The code of functions of the program that a member is."""
    if isinstance(member, Function):
        return [member.code]
    calls = member.calls if isinstance(member, Value) else ()
    return [c.code for c in calls if isinstance(c, Closure)]


def is_descriptor(member: Any) -> bool:
    """Whether it is an object that may do something where it is asked for."""
    if isinstance(member, Value):
        return any(isinstance(c, Library) and c.name.endswith("()") for c in member.calls)
    if not isinstance(member, Built):
        return False
    maker = member.maker
    return isinstance(maker, Class) or (
        isinstance(maker, Named) and maker.module in ("builtins", "functools")
    )


def _is_generated(name: str, member: Any, record: Class, kind: str) -> bool:
    """Whether Python wrote the method: code of a program that is in no file may be of the same file and name."""
    fields = record.members.get("__dataclass_fields__", record.members.get("_fields", ()))
    kind = "dataclass" if "__dataclass_fields__" in record.members else kind
    if (
        not isinstance(member, Function)
        or member.code.file != _GENERATED
        or name not in _WRITTEN.get(kind, ())
    ):
        return False
    plain = (n for n in member.code.names if not n.startswith(_PREFIXES))
    known = {*plain} <= {*fields, *_NAMES_WRITTEN, name}
    return kind == "namedtuple" or (known and (name != "__init__" or _keeps_as_named(member.code)))


def _keeps_as_named(code: Code) -> bool:
    """Whether each parameter is kept under its own name, and nothing is computed."""
    program = program_of(code).instructions
    pairs = zip(program, program[2:], strict=False)
    other = any((a.op, b.op) == ("LOAD_FAST", "STORE_ATTR") and a.arg != b.arg for a, b in pairs)
    return not other and not any(each.op.startswith(("BINARY", "FORMAT", "BUILD")) for each in program)


def _changes_something(code: Code) -> bool:
    return any(each.op.startswith(_CHANGES) for each in program_of(code).instructions)
