"""Which data a function carries from the program to where it is called: in its closure, globals and defaults."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from headwater_functions.analysis.callables import Closure, Dispatched, Kept, Partial
from headwater_functions.analysis.values import Value
from headwater_functions.code import Built, Cell, Class, Code, Function, Module, Named

UNKNOWN: Final = "\0unknown"
"""In place of data: something that is not looked into, or more than is listed."""
MOST: Final = 1_000
_OWN: Final = re.compile("__.*__")


def held_in(function: Function, *names: Mapping[str, Any]) -> frozenset[str]:
    """The texts and numbers, as texts, in what the function was given outside its own code, and in those names of
    modules; with ``UNKNOWN`` where there may be more.

    None, and texts without a letter or digit, say nothing and are left out.
    """
    found: set[str] = set()
    seen: set[int] = set()
    pending: list[Any] = [function, *(list(_named(each)) for each in names)]
    while pending:
        record = pending.pop()
        if id(record) in seen:
            continue
        seen.add(id(record))
        text = _text(record)
        if text is None:
            pending.extend(_inside(record))
        elif any(map(str.isalnum, text)):
            found.add(text)
        if len(found) >= MOST or len(seen) > 10 * MOST:
            return frozenset(found) | {UNKNOWN}
    return frozenset(found)


def _text(record: Any) -> str | None:
    """The text that plain data is; None for what has parts."""
    match record:
        case None | Module() | Named() | Code():
            return ""
        case str():
            return record
        case int() | float() | complex():
            return str(record)
        case bytes():
            return UNKNOWN if record else ""
        case _:
            return None


def _inside(record: Any) -> Iterator[Any]:
    match record:
        case Function():
            yield from _named(record.globals)
            yield from (*record.defaults, *record.keyword_defaults.values(), *record.closure)
        case Class():
            yield from (*record.bases, *_named(record.members))
        case Cell():
            yield record.content
        case Value():
            yield from (c.value for c in record.constants)
            yield from (c for c in record.calls if c.holds_data or isinstance(c, Closure | Dispatched))
            if record.other or record.refs:
                yield UNKNOWN
        case Dispatched():
            yield from record.values
        case Kept() | Partial() | Built():
            yield from _in_object(record)
        case Closure():
            yield from (*_named(record.scope), *record.values)
        case Mapping():
            yield from (*record.keys(), *record.values())
        case list() | tuple() | set() | frozenset():
            yield from record
        case slice():
            yield from (record.start, record.stop, record.step)
        case _:
            yield UNKNOWN


def _in_object(record: Kept | Partial | Built) -> Iterator[Any]:
    """What an instance of the program's holds, or what is bound to something that can be called."""
    match record:
        case Kept():
            yield from (record.kind.record, *record.state.values())
        case Partial():
            yield from record.values
        case Built(maker=Class() | Named("functools", "partial") | Named("types", "MethodType")):
            yield from (record.arguments, record.state, record.items)
            yield record.maker if isinstance(record.maker, Class) else None
        case _:
            yield UNKNOWN


def _named(members: Mapping[Any, Any]) -> Iterator[Any]:
    """What has a name of the program's: the others are Python's own, as ``__name__``."""
    return (value for name, value in members.items() if not _OWN.fullmatch(str(name)))
