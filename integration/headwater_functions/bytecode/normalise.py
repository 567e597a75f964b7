"""Each version's instructions in terms of one small set: a table from its name to what it does.

A call takes a callable and a place for ``self`` from the stack, in either order, of which one is empty: that is so in
all versions if what loads a method is taken to push an empty place and the bound method.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeAlias

from headwater_functions.code import Code
from headwater_functions.unreadable import UnreadableError


class Raw(NamedTuple):
    """An instruction of a version: ``after`` is the offset of the next one."""

    name: str
    arg: int
    offset: int
    after: int
    keywords: tuple[str, ...]


MOST_UNPACKED = 500

Normal = tuple[str, Any, int]
"""(operation, argument, offset of the jump or -1)"""

Rule: TypeAlias = Callable[["Raw", Code], Iterable[Normal]]

_OPERATORS = ("+", "&", "//", "<<", "@", "*", "%", "|", "**", ">>", "-", "/", "^")
_NAMED_OPERATORS = {
    "ADD": "+",
    "AND": "&",
    "FLOOR_DIVIDE": "//",
    "LSHIFT": "<<",
    "MATRIX_MULTIPLY": "@",
    "MULTIPLY": "*",
    "MODULO": "%",
    "OR": "|",
    "POWER": "**",
    "RSHIFT": ">>",
    "SUBTRACT": "-",
    "TRUE_DIVIDE": "/",
    "XOR": "^",
}
_SUBSCRIPT = 26
"""The binary operator of 3.14 that takes an item."""
_COMMON = (None, None, "tuple", "all", "any")
"""What 3.14 loads without a name: two exceptions first."""
_COMPARED = ("<", "<=", "==", "!=", ">", ">=")


def normalised(raw: Raw, code: Code) -> Iterable[Normal]:
    """What an instruction does, in the common set. Raises ``UnreadableError``."""
    name = raw.name
    rule = _RULES.get(name)
    if rule is not None:
        return rule(raw, code)
    if name.startswith(("BINARY_", "INPLACE_")) and name[7:].lstrip("_") in _NAMED_OPERATORS:
        kind = "BINARY" if name.startswith("BINARY_") else "INPLACE"
        return [(kind, _NAMED_OPERATORS[name[7:].lstrip("_")], -1)]
    if name.startswith("UNARY_"):
        return [("UNARY", name[6:], -1)]
    if "_IF_" in name and name.startswith("POP_JUMP"):
        return [("POP_JUMP_IF", name.rpartition("_IF_")[2], _jump(raw, code))]
    raise UnreadableError("BYTECODE", f"the instruction {name} is not known")


def _jump(raw: Raw, code: Code) -> int:
    if code.version == "3.10":
        relative = raw.name in ("JUMP_FORWARD", "FOR_ITER", "SETUP_FINALLY", "SETUP_WITH")
        return raw.after + 2 * raw.arg if relative else 2 * raw.arg
    back = "BACKWARD" in raw.name
    return raw.after + (-2 if back else 2) * raw.arg


def _at(values: tuple[Any, ...], index: int) -> Any:
    if not 0 <= index < len(values):
        raise UnreadableError("BYTECODE", "an instruction refers to nothing")
    return values[index]


def _nothing(_: Raw, __: Code) -> Iterable[Normal]:
    return [("NOP", None, -1)]


def _same(op: str) -> Rule:
    return lambda raw, code: [(op, raw.arg, -1)]


def _jumps(op: str, arg: Any = None) -> Rule:
    return lambda raw, code: [(op, arg, _jump(raw, code))]


def _of_name(op: str) -> Rule:
    return lambda raw, code: [(op, _at(code.names, raw.arg), -1)]


def _constant(raw: Raw, code: Code) -> Iterable[Normal]:
    return [("LOAD_CONST", _at(code.constants, raw.arg), -1)]


def _fast(op: str) -> Rule:
    """A local variable; from 3.13 also the cell of one that inner functions share."""

    def rule(raw: Raw, code: Code) -> Iterable[Normal]:
        if code.version == "3.10":
            return [(op, _at(code.variables, raw.arg), -1)]
        return [_local(op, raw.arg, code)]

    return rule


def _local(op: str, index: int, code: Code) -> Normal:
    name = _at(code.places, index)
    if name in code.shared:
        shared = {"LOAD_FAST": "LOAD_CLOSURE", "STORE_FAST": "POP", "DELETE_FAST": "NOP"}
        return (shared.get(op, "LOAD_NOTHING"), name, -1)
    return (op, name, -1)


def _two(first: str, second: str) -> Rule:
    return lambda raw, code: [_local(first, raw.arg >> 4, code), _local(second, raw.arg & 15, code)]


def _deref(op: str) -> Rule:
    return lambda raw, code: [(op, _at(code.places, raw.arg), -1)]


def _global(raw: Raw, code: Code) -> Iterable[Normal]:
    if code.version == "3.10":
        return [("LOAD_GLOBAL", _at(code.names, raw.arg), -1)]
    load = ("LOAD_GLOBAL", _at(code.names, raw.arg >> 1), -1)
    return [("PUSH_NULL", None, -1), load] if raw.arg & 1 else [load]


def _attribute(raw: Raw, code: Code) -> Iterable[Normal]:
    if code.version in ("3.10", "3.11"):
        return [("LOAD_ATTR", _at(code.names, raw.arg), -1)]
    op = "LOAD_METHOD" if raw.arg & 1 else "LOAD_ATTR"
    return [(op, _at(code.names, raw.arg >> 1), -1)]


def _compare(raw: Raw, code: Code) -> Iterable[Normal]:
    shift = {"3.12": 4, "3.13": 5, "3.14": 5}.get(code.version, 0)
    return [("COMPARE", _at(_COMPARED, raw.arg >> shift), -1)]


def _binary(raw: Raw, code: Code) -> Iterable[Normal]:
    if raw.arg == _SUBSCRIPT:
        return [("SUBSCR", None, -1)]
    kind = "BINARY" if raw.arg < 13 else "INPLACE"
    return [(kind, _at(_OPERATORS, raw.arg % 13), -1)]


def _call(raw: Raw, code: Code) -> Iterable[Normal]:
    return [("CALL", (raw.arg, raw.keywords, True), -1)]


def _call_310(null: bool) -> Rule:
    return lambda raw, code: [("CALL", (raw.arg, (), null), -1)]


def _for_iter(raw: Raw, code: Code) -> Iterable[Normal]:
    """Where the iterator ends, later versions skip an instruction, and 3.13 leaves the iterator on the stack."""
    skips = 0 if code.version in ("3.10", "3.11") else 2
    return [("FOR_ITER", code.version not in ("3.13", "3.14"), _jump(raw, code) + skips)]


def _send(raw: Raw, code: Code) -> Iterable[Normal]:
    return [("SEND", code.version != "3.11", _jump(raw, code))]


def _common_constant(raw: Raw, code: Code) -> Iterable[Normal]:
    name = _at(_COMMON, raw.arg)
    return [("LOAD_NOTHING", None, -1) if name is None else ("LOAD_BUILTIN", name, -1)]


def _special_method(raw: Raw, code: Code) -> Iterable[Normal]:
    if raw.arg > 1:
        raise UnreadableError("CONSTRUCT", "it is asynchronous", "write it with plain functions")
    return [("LOAD_SPECIAL", ("__enter__", "__exit__")[raw.arg], -1)]


def _returned_constant(raw: Raw, code: Code) -> Iterable[Normal]:
    return [*_constant(raw, code), ("RETURN", None, -1)]


def _intrinsic(raw: Raw, code: Code) -> Iterable[Normal]:
    known = {3: ("NOP", None, -1), 5: ("UNARY", "POSITIVE", -1), 6: ("TO_TUPLE", None, -1)}
    if raw.arg not in known:
        raise UnreadableError("BYTECODE", f"the intrinsic function {raw.arg} is not known")
    return [known[raw.arg]]


def _unreadable(what: str) -> Rule:
    def rule(raw: Raw, code: Code) -> Iterable[Normal]:
        raise UnreadableError("CONSTRUCT", what, "write it with plain functions")

    return rule


def _few(count: int) -> int:
    """How many values are put on the stack, which is what they cost."""
    if count > MOST_UNPACKED:
        raise UnreadableError("TOO_LARGE", f"it unpacks more than {MOST_UNPACKED} values", "use a loop")
    return count


def _unpacked(raw: Raw, code: Code) -> Iterable[Normal]:
    return [("UNPACK", _few(raw.arg), -1)]


def _format(raw: Raw, code: Code) -> Iterable[Normal]:
    return [("FORMAT", bool(raw.arg & 4), -1)]


def _name_in_a_class(raw: Raw, code: Code) -> Iterable[Normal]:
    """A name that a class may have; what types its fields have does not matter."""
    if code.name == "__annotate__":
        return [("POP", None, -1), ("LOAD_NOTHING", None, -1)]
    return [("UNREADABLE", raw.name, -1)]


_RULES: dict[str, Rule] = {
    **dict.fromkeys(["LOAD_FROM_DICT_OR_DEREF", "LOAD_FROM_DICT_OR_GLOBALS"], _name_in_a_class),
    **dict.fromkeys(
        [
            "NOP",
            "RESUME",
            "PRECALL",
            "MAKE_CELL",
            "COPY_FREE_VARS",
            "TO_BOOL",
            "SETUP_ANNOTATIONS",
            "INTERPRETER_EXIT",
            "NOT_TAKEN",
        ],
        _nothing,
    ),
    "POP_TOP": _same("POP"),
    "END_FOR": _same("POP"),
    "POP_ITER": _same("POP"),
    "GEN_START": _nothing,
    "END_SEND": _same("POP_SECOND"),
    "PUSH_NULL": _same("PUSH_NULL"),
    "ROT_TWO": lambda r, c: [("SWAP", 2, -1)],
    "ROT_THREE": lambda r, c: [("ROTATE", 3, -1)],
    "ROT_FOUR": lambda r, c: [("ROTATE", 4, -1)],
    "ROT_N": _same("ROTATE"),
    "SWAP": _same("SWAP"),
    "COPY": _same("COPY"),
    "DUP_TOP": lambda r, c: [("COPY", 1, -1)],
    "DUP_TOP_TWO": lambda r, c: [("COPY", 2, -1), ("COPY", 2, -1)],
    "LOAD_CONST": _constant,
    "RETURN_CONST": _returned_constant,
    "RETURN_VALUE": _same("RETURN"),
    "YIELD_VALUE": _same("YIELD"),
    "RETURN_GENERATOR": _same("LOAD_NOTHING"),
    "LOAD_FAST": _fast("LOAD_FAST"),
    "LOAD_FAST_CHECK": _fast("LOAD_FAST"),
    "LOAD_FAST_BORROW": _fast("LOAD_FAST"),
    "LOAD_FAST_BORROW_LOAD_FAST_BORROW": _two("LOAD_FAST", "LOAD_FAST"),
    "LOAD_SMALL_INT": _same("LOAD_CONST"),
    "LOAD_COMMON_CONSTANT": _common_constant,
    "LOAD_SPECIAL": _special_method,
    "LOAD_FAST_AND_CLEAR": _fast("LOAD_FAST_AND_CLEAR"),
    "STORE_FAST": _fast("STORE_FAST"),
    "DELETE_FAST": _fast("DELETE_FAST"),
    "LOAD_FAST_LOAD_FAST": _two("LOAD_FAST", "LOAD_FAST"),
    "STORE_FAST_LOAD_FAST": _two("STORE_FAST", "LOAD_FAST"),
    "STORE_FAST_STORE_FAST": _two("STORE_FAST", "STORE_FAST"),
    "LOAD_CLOSURE": _deref("LOAD_CLOSURE"),
    "LOAD_DEREF": _deref("LOAD_DEREF"),
    "STORE_DEREF": _deref("STORE_DEREF"),
    "DELETE_DEREF": _deref("NOP"),
    "LOAD_CLASSDEREF": _deref("LOAD_DEREF"),
    "LOAD_GLOBAL": _global,
    "STORE_GLOBAL": _of_name("STORE_GLOBAL"),
    "DELETE_GLOBAL": _of_name("STORE_GLOBAL"),
    "LOAD_NAME": _of_name("LOAD_NAME"),
    "STORE_NAME": _of_name("STORE_NAME"),
    "DELETE_NAME": _of_name("NOP"),
    "LOAD_BUILD_CLASS": _same("LOAD_BUILD_CLASS"),
    "LOAD_ATTR": _attribute,
    "LOAD_METHOD": _of_name("LOAD_METHOD"),
    "LOAD_SUPER_ATTR": lambda r, c: [("SUPER_ATTR", (_at(c.names, r.arg >> 2), r.arg & 1), -1)],
    "STORE_ATTR": _of_name("STORE_ATTR"),
    "DELETE_ATTR": _of_name("DELETE_ATTR"),
    "BINARY_SUBSCR": _same("SUBSCR"),
    "BINARY_SLICE": lambda r, c: [("BUILD_SLICE", 2, -1), ("SUBSCR", 0, -1)],
    "STORE_SLICE": lambda r, c: [("BUILD_SLICE", 2, -1), ("STORE_SUBSCR", 0, -1)],
    "STORE_SUBSCR": _same("STORE_SUBSCR"),
    "DELETE_SUBSCR": _same("DELETE_SUBSCR"),
    "BINARY_OP": _binary,
    "COMPARE_OP": _compare,
    "IS_OP": lambda r, c: [("COMPARE", "is", -1)],
    "CONTAINS_OP": lambda r, c: [("COMPARE", "in", -1)],
    "BUILD_TUPLE": _same("BUILD_TUPLE"),
    "BUILD_LIST": _same("BUILD_LIST"),
    "BUILD_SET": _same("BUILD_SET"),
    "BUILD_MAP": _same("BUILD_MAP"),
    "BUILD_CONST_KEY_MAP": _same("BUILD_CONST_KEY_MAP"),
    "BUILD_STRING": _same("BUILD_STRING"),
    "BUILD_SLICE": _same("BUILD_SLICE"),
    "LIST_TO_TUPLE": _same("TO_TUPLE"),
    "LIST_APPEND": _same("LIST_APPEND"),
    "SET_ADD": _same("LIST_APPEND"),
    "MAP_ADD": _same("MAP_ADD"),
    "LIST_EXTEND": _same("EXTEND"),
    "SET_UPDATE": _same("EXTEND"),
    "DICT_UPDATE": _same("UPDATE"),
    "DICT_MERGE": _same("UPDATE"),
    "FORMAT_VALUE": _format,
    "FORMAT_SIMPLE": lambda r, c: [("FORMAT", False, -1)],
    "FORMAT_WITH_SPEC": lambda r, c: [("FORMAT", True, -1)],
    "CONVERT_VALUE": lambda r, c: [("FORMAT", False, -1)],
    "CALL": _call,
    "CALL_FUNCTION": _call_310(False),
    "CALL_METHOD": _call_310(True),
    "CALL_FUNCTION_KW": lambda r, c: [("CALL_KW", (r.arg, False), -1)],
    "CALL_KW": lambda r, c: [("CALL_KW", (r.arg, True), -1)],
    "CALL_FUNCTION_EX": lambda r, c: [
        ("CALL_EX", (bool(r.arg & 1) or c.version == "3.14", c.version != "3.10"), -1)
    ],
    "CALL_INTRINSIC_1": _intrinsic,
    "CALL_INTRINSIC_2": _unreadable("type parameters are not read"),
    "MAKE_FUNCTION": lambda r, c: [
        ("MAKE_FUNCTION", (r.arg if c.version not in ("3.13", "3.14") else 0, c.version == "3.10"), -1)
    ],
    "SET_FUNCTION_ATTRIBUTE": _same("SET_FUNCTION_ATTRIBUTE"),
    "IMPORT_NAME": _of_name("IMPORT_NAME"),
    "IMPORT_FROM": _of_name("IMPORT_FROM"),
    "IMPORT_STAR": _unreadable("it imports names that only running it would tell"),
    "UNPACK_SEQUENCE": _unpacked,
    "UNPACK_EX": lambda r, c: [("UNPACK_EX", (_few(r.arg & 255), _few(r.arg >> 8)), -1)],
    "GET_ITER": _same("GET_ITER"),
    "GET_YIELD_FROM_ITER": _same("GET_ITER"),
    "FOR_ITER": _for_iter,
    "SEND": _send,
    "YIELD_FROM": _same("YIELD_FROM"),
    "JUMP_FORWARD": _jumps("JUMP"),
    "JUMP_ABSOLUTE": _jumps("JUMP"),
    "JUMP_BACKWARD": _jumps("JUMP"),
    "JUMP_BACKWARD_NO_INTERRUPT": _jumps("JUMP"),
    "JUMP_IF_FALSE_OR_POP": _jumps("JUMP_OR_POP"),
    "JUMP_IF_TRUE_OR_POP": _jumps("JUMP_OR_POP"),
    "JUMP_IF_NOT_EXC_MATCH": lambda r, c: [("POP", None, -1), ("POP_JUMP_IF", "FALSE", _jump(r, c))],
    "SETUP_FINALLY": _jumps("SETUP_FINALLY"),
    "SETUP_WITH": _jumps("SETUP_WITH"),
    "POP_BLOCK": _same("POP_BLOCK"),
    "PUSH_EXC_INFO": _same("PUSH_EXC_INFO"),
    "CHECK_EXC_MATCH": _same("CHECK_EXC_MATCH"),
    "POP_EXCEPT": lambda r, c: [("POP", None, -1)] * (3 if c.version == "3.10" else 1),
    "BEFORE_WITH": _same("BEFORE_WITH"),
    "WITH_EXCEPT_START": lambda r, c: [("LOAD_NOTHING", None, -1)],
    "RERAISE": _same("RERAISE"),
    "RAISE_VARARGS": _same("RAISE"),
    "LOAD_ASSERTION_ERROR": _same("LOAD_NOTHING"),
    # What a class has so far, for the scopes of annotations, which are not read.
    "LOAD_LOCALS": _same("LOAD_NOTHING"),
    "CLEANUP_THROW": lambda r, c: [("POP", None, -1)] * 3 + [("LOAD_NOTHING", None, -1)] * 2,
    "GET_LEN": _same("GET_LEN"),
    "MATCH_SEQUENCE": _same("MATCH"),
    "MATCH_MAPPING": _same("MATCH"),
    "MATCH_KEYS": lambda r, c: [("MATCH_KEYS", c.version == "3.10", -1)],
    "MATCH_CLASS": lambda r, c: [("MATCH_CLASS", (r.arg, c.version == "3.10"), -1)],
    "COPY_DICT_WITHOUT_KEYS": _same("COPY_DICT_WITHOUT_KEYS"),
    **dict.fromkeys(
        [
            "GET_AWAITABLE",
            "GET_AITER",
            "GET_ANEXT",
            "END_ASYNC_FOR",
            "BEFORE_ASYNC_WITH",
            "SETUP_ASYNC_WITH",
            "ASYNC_GEN_WRAP",
        ],
        _unreadable("it is asynchronous"),
    ),
    **dict.fromkeys(["BUILD_TEMPLATE", "BUILD_INTERPOLATION"], _unreadable("template strings are not read")),
    **dict.fromkeys(
        ["CHECK_EG_MATCH", "PREP_RERAISE_STAR"], _unreadable("groups of exceptions are not read")
    ),
    **dict.fromkeys(
        [
            "PRINT_EXPR",
            "ENTER_EXECUTOR",
            "EXIT_INIT_CHECK",
        ],
        lambda r, c: [("UNREADABLE", r.name, -1)],
    ),
}
