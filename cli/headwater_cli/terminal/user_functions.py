"""A user function in words: read from code, declared, or opaque and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

KNOWN = {"ANALYSED": "read from code", "DECLARED": "declared", "OPAQUE": "opaque"}


def described(function: Mapping[str, Any]) -> tuple[str, str, str, str]:
    """The function's name, how it is known, its place, and what is to be known of it."""
    known = KNOWN.get(function["known"], function["known"])
    if function["declaredBy"]:
        known += f" by {function['declaredBy']}"
    return function["name"], known, place_of(function), "; ".join(_remarks(function))


def place_of(function: Mapping[str, Any]) -> str:
    """``job.py:12``, or nothing."""
    code = function["code"]
    return f"{code['file']}:{code['line']}" if code else ""


def _remarks(function: Mapping[str, Any]) -> Iterator[str]:
    for why in function["why"]:
        where = f" (line {why['line']})" if why["line"] else ""
        yield why["reason"] + where + (f": {why['hint']}" if why["hint"] else "")
    for each in function["differences"]:
        source = ".".join([str(each["argument"]), *each["source"]])
        yield f"{each['difference']} {source} -> {'.'.join(each['target']) or 'result'}"
