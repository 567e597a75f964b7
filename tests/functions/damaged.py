"""Damaged pickles: those of each Python version with bytes, instructions and values exchanged, and made up ones."""

from __future__ import annotations

import base64
import json
import pickletools
import struct
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

from pyspark.cloudpickle import dumps
from pyspark.cloudpickle.cloudpickle import _make_function

from functions.damaged_objects import bound, objects
from headwater_functions.bytecode.opcodes import OPCODES

VERSION = f"{sys.version_info[0]}.{sys.version_info[1]}"
FOLDER = Path(__file__).parent / "versions"
_PARTS = [
    "argcount",
    "posonlyargcount",
    "kwonlyargcount",
    "nlocals",
    "stacksize",
    "flags",
    "code",
    "consts",
    "names",
    "varnames",
    "filename",
    "name",
    "qualname",
    "firstlineno",
    "linetable",
    "exceptiontable",
    "freevars",
    "cellvars",
]


@dataclass(frozen=True)
class Whole:
    """A pickle of a function, where its code's bytes stand in it, and where its instructions for unpickling begin."""

    version: str
    pickle: bytes
    code: tuple[int, int]
    tables: tuple[int, int]
    steps: tuple[int, ...]


class _Stand:
    """Is pickled as a call of something: code of another Python cannot be made here."""

    def __init__(self, maker: Any, arguments: tuple[Any, ...]) -> None:
        self._made = maker, arguments

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return self._made


def pickled(parts: dict[str, Any], version: str, scope: dict[str, Any] | None = None) -> bytes:
    """The pickle of a function with such code."""
    code = _Stand(types.CodeType, tuple(_plain(parts.get(n), version) for n in _names_of(version)))
    scope = {"__name__": "__main__", "json": json, **(scope or {})}
    return bytes(dumps((_Stand(_make_function, (code, scope, "f", None, None)), None), 4))


def _names_of(version: str) -> list[str]:
    newer = {"qualname", "exceptiontable"}
    return _PARTS if version != "3.10" else [n for n in _PARTS if n not in newer]


def _plain(value: Any, version: str) -> Any:
    if not isinstance(value, dict):
        return value
    kind, content = next(iter(value.items()))
    if kind == "code":
        return _Stand(types.CodeType, tuple(_recorded(content, version).get(n) for n in _names_of(version)))
    if kind == "bytes":
        return base64.b64decode(content)
    return tuple(_plain(v, version) for v in content) if kind == "tuple" else content


def _recorded(record: dict[str, Any], version: str) -> dict[str, Any]:
    found = {name.removeprefix("co_"): _plain(value, version) for name, value in record.items()}
    return {"filename": "jobs.py", "qualname": found["name"], "stacksize": 20, "nlocals": 1, **found}


@lru_cache(maxsize=1)
def wholes() -> tuple[Whole, ...]:
    """Pickles of the recorded functions of each version, small ones first."""
    found = []
    for version in OPCODES:
        for record in json.loads((FOLDER / f"{version}.json").read_text("utf-8")):
            parts = _recorded(record, version)
            text = pickled(parts, version)
            steps = tuple(place for _, _, place in pickletools.genops(text) if place is not None)
            found.append(
                Whole(version, text, _place(text, parts["code"]), _place(text, parts["linetable"]), steps)
            )
    return tuple(sorted(found, key=lambda w: len(w.pickle)))


def _place(text: bytes, part: bytes) -> tuple[int, int]:
    begin = max(0, text.find(part))
    return begin, begin + len(part)


def _whole(chance: Random) -> Whole:
    all_of_them = wholes()
    return all_of_them[min(chance.randrange(len(all_of_them)), chance.randrange(len(all_of_them)))]


Damage = Callable[[Random], tuple[str, bytes]]


def some_bytes(chance: Random) -> tuple[str, bytes]:
    whole = _whole(chance)
    text = bytearray(whole.pickle)
    for _ in range(chance.randint(1, 6)):
        text[chance.randrange(len(text))] = chance.randrange(256)
    return whole.version, bytes(text)


def cut(chance: Random) -> tuple[str, bytes]:
    """An end, a middle or a repetition."""
    whole = _whole(chance)
    text = whole.pickle
    one, other = sorted(chance.randrange(len(text)) for _ in range(2))
    return whole.version, chance.choice(
        [text[:one], text[:one] + text[other:], text[:other] + text[one:], text[one:]]
    )


def spliced(chance: Random) -> tuple[str, bytes]:
    """The beginning of one and the end of another, between two of their instructions."""
    first, second = _whole(chance), _whole(chance)
    return first.version, first.pickle[: chance.choice(first.steps)] + second.pickle[
        chance.choice(second.steps) :
    ]


def instructions(chance: Random) -> tuple[str, bytes]:
    """Other instructions of the version, with other arguments, at some places of the code."""
    whole = _whole(chance)
    text = bytearray(whole.pickle)
    begin, end = whole.code
    known = list(OPCODES[whole.version][0])
    for _ in range(chance.randint(1, 5)):
        at = begin + 2 * chance.randrange(max(1, (end - begin) // 2))
        text[at] = chance.choice(known)
        if chance.random() < 0.7:
            text[at + 1] = chance.choice([0, 1, 2, 3, 8, 255, chance.randrange(256)])
    return whole.version, bytes(text)


def tables(chance: Random) -> tuple[str, bytes]:
    """Other bytes in the tables of lines and exceptions, which stand side by side."""
    whole = _whole(chance)
    text = bytearray(whole.pickle)
    begin, end = whole.tables
    for _ in range(chance.randint(1, 8)):
        at = min(len(text) - 1, begin + chance.randrange(end - begin + 40))
        text[at] = chance.choice([0, 63, 64, 127, 128, 255, chance.randrange(256)])
    return whole.version, bytes(text)


def exchanged(chance: Random) -> tuple[str, bytes]:
    """Some of the pickle's instructions are others."""
    whole = _whole(chance)
    text = whole.pickle
    for _ in range(chance.randint(1, 3)):
        place = chance.randrange(len(whole.steps) - 1)
        begin, end = whole.steps[place], whole.steps[place + 1]
        if end <= len(text):
            text = text[:begin] + step(chance) + text[end:]
    return whole.version, text


def step(chance: Random) -> bytes:
    """One instruction for unpickling, with an argument that may be absurd."""
    opcode = chance.choice(pickletools.opcodes)
    return opcode.code.encode("latin1") + _argument(opcode.arg.name if opcode.arg else "", chance)


def _argument(kind: str, chance: Random) -> bytes:
    number = chance.choice([0, 1, 2, 5, 255, 65535, (1 << 31) - 1, (1 << 32) - 1])
    some = bytes(chance.randrange(256) for _ in range(chance.randrange(12)))
    match kind:
        case "":
            return b""
        case "uint1" | "int1":
            return bytes([number & 255])
        case "uint2":
            return struct.pack("<H", number & 65535)
        case "int4" | "uint4":
            return struct.pack("<I", number)
        case "uint8":
            return struct.pack("<Q", chance.choice([number, (1 << 64) - 1]))
        case "float8":
            return struct.pack(">d", chance.choice([0.0, -1.5, float("nan"), float("inf"), 1e308]))
        case _ if kind.endswith("1"):
            return bytes([chance.choice([len(some), 255])]) + some
        case _ if kind.endswith("4"):
            return struct.pack("<I", chance.choice([len(some), number])) + some
        case _ if kind.endswith("8"):
            return struct.pack("<Q", chance.choice([len(some), number])) + some
        case _:
            text = chance.choice(
                [b"7", b"12L", b"'a'", b"os\nsystem", b"builtins\neval", b"9" * 6000, b"\\x", some]
            )
            return text.replace(b"\n\n", b"\n") + b"\n" + (b"\n" if b"\n" not in text else b"")


def soup(chance: Random) -> tuple[str, bytes]:
    """A pickle that is made up."""
    steps = b"".join(step(chance) for _ in range(chance.randint(1, 60)))
    return "3.11", b"\x80\x04" + steps + b"."


def plausible(chance: Random) -> tuple[str, bytes]:
    """Steps that keep a stack: data within data, memory, calls of whatever stands there."""
    out, depth, memo = [b"\x80\x04"], 0, 0
    for _ in range(chance.randint(5, 120)):
        kinds = ["push"] * 3 + (["one"] if depth else []) + (["two", "two"] if depth > 1 else [])
        match chance.choice(kinds):
            case "push":
                out.append(_pushed(chance, memo))
                depth += 1
            case "one":
                if chance.random() < 0.5:
                    out.append(b"\x94")
                    memo += 1
                else:
                    out.append(chance.choice([b"\x85", b"\x85", b"2" if depth < 50 else b"\x85"]))
                    depth += out[-1] == b"2"
            case _:
                out.append(chance.choice([b"\x86", b"\x86", b"R", b"\x81", b"b", b"a", b"\x93"]))
                depth -= 1
    return "3.11", b"".join(out) + b"."


_CLOUDPICKLE = (
    "_make_function",
    "_make_cell",
    "_make_empty_cell",
    "_builtin_type",
    "subimport",
    "_function_setstate",
    "_class_setstate",
    "_make_skeleton_class",
)
_GLOBALS = (
    b"builtins\neval",
    b"os\nsystem",
    b"builtins\ngetattr",
    b"types\nCodeType",
    b"functools\npartial",
    *(f"pyspark.cloudpickle.cloudpickle\n{name}".encode() for name in _CLOUDPICKLE),
)


def _pushed(chance: Random, memo: int) -> bytes:
    if memo and chance.random() < 0.4:
        return b"h" + bytes([chance.randrange(min(memo, 256))])
    return chance.choice(
        [
            b"]",
            b"}",
            b")",
            b"\x8f",
            b"N",
            b"\x88",
            b"K\x07",
            b"\x8c\x01a",
            b"C\x02d\x00",
            b"c" + chance.choice(_GLOBALS) + b"\n",
        ]
    )


def nested(chance: Random) -> tuple[str, bytes]:
    """Something in itself, thousands of times."""
    depth = chance.choice([50, 70, 500, 5_000, 60_000])
    begin, around = chance.choice(
        [
            (b"N", b"\x85"),
            (b"N", b"\x85\x85"),
            (b"]", b"\x85"),
            (b"cos\nsystem\n", b"(tR"),
            (
                b"cpyspark.cloudpickle.cloudpickle\n_make_cell\nN\x85R",
                b"\x85cpyspark.cloudpickle.cloudpickle\n_make_cell\n\x8c\x01aR0",
            ),
            (b"N", b"0}\x8c\x01aNs"),
        ]
    )
    end = chance.choice([b"", b"}h\x00Ns" if depth < 100 else b"", b"\x91", b"(\x91"])
    return "3.11", b"\x80\x04" + begin + around * depth + end + b"."


def doubled(chance: Random) -> tuple[str, bytes]:
    """Data in which each part stands twice in the next: small as a pickle, endless when it is followed."""
    count = chance.choice([20, 40, 60, 90])
    twice = chance.choice([b"2\x86", b"](h%ch%ce"])
    whole = _whole(chance)
    if chance.random() < 0.5:
        # In place of some value of a real function; without a memory of its own, which would move the other's.
        place = chance.randrange(len(whole.steps) - 1)
        begin, end = whole.steps[place], whole.steps[place + 1]
        return whole.version, whole.pickle[:begin] + b"N" + b"2\x86" * count + whole.pickle[end:]
    data = b"N\x94" + b"".join(twice.replace(b"%c", bytes([place])) + b"\x94" for place in range(count))
    use = chance.choice([b".", b"}\x94h" + bytes([count]) + b"Ns.", b"(h" + bytes([count]) + b"\x91."])
    return whole.version, b"\x80\x04" + data + use


def cyclic(chance: Random) -> tuple[str, bytes]:
    """Containers, cells, functions and classes that hold themselves."""
    made = chance.choice(
        [
            b"]\x94h\x00a",
            b"}\x94\x8c\x01ah\x00s",
            b"cpyspark.cloudpickle.cloudpickle\n_make_empty_cell\n)R\x94cpyspark.cloudpickle.cloudpickle\n_cell_set\nh\x00h\x00\x86R0",
            b"cos\nsystem\n)R\x94h\x00b",
            b"cos\nsystem\n)R\x94h\x00a",
            b"cpyspark.cloudpickle.cloudpickle\n_make_skeleton_class\n(Nn\x8c\x01A)}NNtR\x94",
        ]
    )
    whole = _whole(chance)
    begin = chance.randrange(len(whole.steps) - 1)
    inner = whole.pickle[: whole.steps[begin]] + made + whole.pickle[whole.steps[begin + 1] :]
    return whole.version, chance.choice([b"\x80\x04" + made + b".", inner, inner])


def numbers(chance: Random) -> tuple[str, bytes]:
    """Numbers with very many digits, and texts and bytes of absurd length."""
    size = chance.choice([10, 1_000, 20_000, 200_000])
    value = chance.choice(
        [
            b"\x8b" + struct.pack("<I", size) + b"\x7f" * size,
            b"\x8a" + bytes([255]) + b"\x7f" * 255,
            b"L" + b"9" * size + b"L\n",
            b"I" + b"9" * size + b"\n",
            b"X" + struct.pack("<I", size) + b"q" * size,
            b"B" + struct.pack("<I", size) + b"\x07" * size,
        ]
    )
    whole = _whole(chance)
    place = chance.randrange(len(whole.steps) - 1)
    return whole.version, whole.pickle[: whole.steps[place]] + value + whole.pickle[whole.steps[place + 1] :]


def written(chance: Random) -> tuple[str, bytes]:
    """Code that no compiler wrote: instructions by chance, jumps anywhere, tables of anything."""
    version = chance.choice(list(OPCODES))
    known = list(OPCODES[version][0])
    pushing = [
        n
        for n, name in OPCODES[version][0].items()
        if name.startswith(("LOAD_", "COPY", "DUP", "BUILD_", "PUSH"))
    ]
    size = chance.choice([3, 10, 30, 100, 400, 2_500])
    text = bytearray()
    for _ in range(size):
        opcode = chance.choice(pushing if chance.random() < 0.6 else known)
        text += bytes([opcode, chance.choice([0, 0, 1, 2, 3, 5, 9, chance.randrange(256)])])
    return version, pickled(_parts(chance, version, bytes(text), chance.randint(0, 3)), version)


def repeated(chance: Random) -> tuple[str, bytes]:
    """A few instructions again and again: branches in branches, loops in loops, growing stacks."""
    version = chance.choice(list(OPCODES))
    names = OPCODES[version][0]
    jumps = [n for n, name in names.items() if "JUMP" in name or "ITER" in name or "SETUP" in name]
    pushing = [
        n for n, name in names.items() if name.startswith(("LOAD_FAST", "LOAD_CONST", "COPY", "DUP_TOP"))
    ]
    calls = [
        n
        for n, name in names.items()
        if name.startswith(("CALL", "BUILD_", "UNPACK", "LOAD_ATTR", "LOAD_METHOD"))
    ]
    part = bytearray()
    for _ in range(chance.randint(1, 8)):
        part += bytes(
            [chance.choice(chance.choice([pushing, jumps, calls])), chance.choice([0, 1, 2, 4, 20, 250])]
        )
    text = bytes(part) * chance.choice([5, 50, 400, 1_500])
    if chance.random() < 0.3:
        text = bytes([next(n for n, name in names.items() if name == "EXTENDED_ARG"), 255]) * 3 + text
    return version, pickled(_parts(chance, version, text[:11_900], 2), version)


def _parts(chance: Random, version: str, text: bytes, parameters: int) -> dict[str, Any]:
    """A code's parts, of which few are absurd at a time."""

    def mostly(usual: Any, *absurd: Any) -> Any:
        return usual if chance.random() < 0.9 else chance.choice(absurd)

    constants: list[Any] = [None, 0, 1, "a", ("a", "b"), 2.5, b"d", ("x",) * 3, -1, "name", frozenset({1})]
    return {
        "argcount": mostly(parameters, 0, 200, -1),
        "posonlyargcount": 0,
        "kwonlyargcount": mostly(0, 1, 100),
        "nlocals": 5,
        "stacksize": 10,
        "flags": mostly(3, 7, 11, 15, 0x23, 0xA3, 0xFFFF, -1),
        "code": text,
        "consts": mostly(tuple(constants) * 24, (), tuple(constants[:3])),
        "names": mostly(("city", "upper", "len", "json", "dumps", "x") * 40, ()),
        "varnames": tuple(f"v{i}" for i in range(mostly(256, 0, 5, 3_000))),
        "filename": "jobs.py",
        "name": "f",
        "qualname": "f",
        "firstlineno": mostly(1, 0, -5, 1 << 40),
        "linetable": _table(chance),
        "exceptiontable": mostly(b"", _table(chance)),
        "freevars": mostly((), ("c",), ("v1", "c")),
        "cellvars": mostly((), ("v0",), ("v1", "w"), tuple(f"w{i}" for i in range(3_000))),
    }


def _table(chance: Random) -> bytes:
    size = chance.choice([0, 0, 4, 40, 400, 5_000])
    if chance.random() < 0.3:
        return bytes([chance.choice([127, 255, 64])]) * size
    return bytes(chance.randrange(256 if chance.random() < 0.3 else 64) for _ in range(size))


_GROWING = (
    "x = (x, y)",
    "y = [x, y, x]",
    "x = {'a': x, 'b': y}",
    "y = {**x, 'n': y} if y else x",
    "x = x.n",
    "y = y[0]",
    "x[y] = x",
    "y.append(x)",
    "x = [z for z in x for y in z]",
    "x = lambda v=x, w=y: (v, w)",
    "x = f'{x}{y}'",
    "y = x + y",
    "x = sorted(y, key=lambda k: k.n)",
    "x, y = y, x",
    "y = dict(zip(x, y))",
    "x = map(lambda e: (e, y), x)",
    "x = g(x, y)",
    "y = g(g(x, y), g(y, x))",
    "x = h(x)",
    "x['k'] = y; y['k'] = x",
    "x = x['a']['b']['c']",
    "y = y.a.b.c.d.e.f",
    "x = list(h(x))",
    "x += y",
    "y = {k: (v, x) for k, v in y.items()}",
    "x = x.a if y.b else x.c",
    "x = max(x, y, key=lambda k: (k, x))",
    "del x[0]",
    "x = (x,) * 3",
    "y = json.dumps([x, y])",
    "*x, y = x, y",
)
_AROUND = (
    "for x in y:",
    "while x:",
    "if x == y:",
    "for x, y in zip(x, y):",
    "try:",
    "with x as y:",
    "if x and y or x.n:",
    "for i in range(9):",
    "if isinstance(x, dict):",
    "while y.more:",
)


def programs(chance: Random) -> tuple[str, bytes]:
    """What a compiler made of a program that makes its values grow in loops, closures and calls."""
    lines = [
        "import json",
        "def g(x, y):",
        *_block(chance, 1, 4),
        "    return (x, y)",
        "def h(x):",
        "    y = x",
    ]
    lines += [
        *_block(chance, 1, 4),
        "    yield (x, y)",
        "def f(x, y):",
        *_block(chance, 1, chance.choice([4, 12, 40])),
    ]
    source = "\n".join([*lines, "    return (x, y)"])
    scope: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(source, "jobs.py", "exec"), scope)
    return VERSION, bytes(dumps((scope["f"], None), 4))


def _block(chance: Random, depth: int, count: int) -> Iterator[str]:
    indent = "    " * depth
    for _ in range(chance.randint(1, count)):
        if depth < 8 and chance.random() < 0.4:
            head = chance.choice(_AROUND)
            yield indent + head
            yield from _block(chance, depth + 1, 3)
            if head == "try:":
                yield f"{indent}except {chance.choice(['ValueError', 'Exception as y', '(KeyError, ValueError)'])}:"
                yield f"{indent}    x = y" if chance.random() < 0.5 else f"{indent}    raise"
        else:
            yield indent + chance.choice(_GROWING)


SHARES: dict[str, tuple[Damage, int]] = {
    "bytes": (some_bytes, 260),
    "cut": (cut, 120),
    "spliced": (spliced, 120),
    "instructions": (instructions, 160),
    "tables": (tables, 60),
    "exchanged": (exchanged, 120),
    "soup": (soup, 60),
    "plausible": (plausible, 60),
    "nested": (nested, 6),
    "doubled": (doubled, 10),
    "cyclic": (cyclic, 12),
    "numbers": (numbers, 6),
    "programs": (programs, 1),
    "written": (written, 3),
    "repeated": (repeated, 2),
    "objects": (objects, 120),
    "bound": (bound, 20),
}
"""Each kind of damage, and how many of a thousand are of it."""


def pickles(chance: Random, count: int, only: Sequence[str] = ()) -> Iterator[tuple[str, str, bytes]]:
    """(kind, version, pickle), the same for the same chance."""
    kinds = [kind for kind, (_, share) in SHARES.items() for _ in range(share) if not only or kind in only]
    for _ in range(count):
        kind = chance.choice(kinds)
        version, text = SHARES[kind][0](chance)
        yield kind, version, text[: 1 << 20]
