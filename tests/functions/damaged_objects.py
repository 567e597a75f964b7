"""Damaged pickles of functions that hold objects of the program's classes, and of such objects that are functions."""

from __future__ import annotations

import pickletools
import sys
from functools import lru_cache
from importlib import import_module
from random import Random

from pyspark.cloudpickle import dumps, register_pickle_by_value, unregister_pickle_by_value

VERSION = f"{sys.version_info[0]}.{sys.version_info[1]}"
_PARTIAL = b"cfunctools\npartial\n"
_METHOD = b"ctypes\nMethodType\n"


@lru_cache(maxsize=1)
def _wholes() -> tuple[tuple[bytes, tuple[int, ...]], ...]:
    """Each pickle, and where its instructions begin."""
    found = []
    for name in ("held", "made"):
        module = import_module(f"functions.corpus_objects.{name}")
        register_pickle_by_value(module)
        try:
            found += [dumps((each.function, None), 4) for each in module.EXAMPLES]
        finally:
            unregister_pickle_by_value(module)
    return tuple(
        (text, tuple(at for _, _, at in pickletools.genops(text) if at is not None)) for text in found
    )


def objects(chance: Random) -> tuple[str, bytes]:
    """Bytes, instructions and references of one exchanged for others, also of another one."""
    text, steps = chance.choice(_wholes())
    match chance.randrange(4):
        case 0:
            damaged = bytearray(text)
            for _ in range(chance.randint(1, 5)):
                damaged[chance.randrange(len(text))] = chance.randrange(256)
            return VERSION, bytes(damaged)
        case 1:
            second, places = chance.choice(_wholes())
            return VERSION, text[: chance.choice(steps)] + second[chance.choice(places) :]
        case 2:
            damaged = bytearray(text)
            found = [at for at in steps if text[at : at + 1] == b"h"]
            for at in chance.sample(found, min(len(found), chance.randint(1, 3))):
                damaged[at + 1] = chance.choice([0, 1, text[at + 1] ^ 1, chance.randrange(256)])
            return VERSION, bytes(damaged)
        case _:
            one, other = sorted(chance.sample(range(len(steps)), 2))
            return VERSION, text[: steps[one]] + text[steps[other] :]


def bound(chance: Random) -> tuple[str, bytes]:
    """Partial functions and methods that are bound to each other many times, or to themselves."""
    made = b"cbuiltins\nlen\n\x94"
    for place in range(chance.choice([2, 8, 30, 60])):
        before = b"h" + bytes([place])
        if chance.random() < 0.3:
            made += _METHOD + before + before + b"\x86R\x94"
            continue
        inner = chance.choice([before, b"h" + bytes([place + 1])])
        given = b"(" + inner * chance.choice([1, 2, 9]) + b"t"
        # The state comes after the object has its place, so that it may hold itself.
        made += _PARTIAL + before + b"\x85R\x94(" + before + given + b"}Ntb"
    text, steps = chance.choice(_wholes())
    at = chance.choice(steps)
    return VERSION, chance.choice([b"\x80\x04" + made + b".", text[:at] + made + text[at:]])
