"""An independent reader: rows of which one column is varied at a time, and what can be got back from the results.

It knows nothing of the functions. Where each of a column's values gives another result, somebody who tries values, or
computes backwards, gets the value back. Where a value, or its bytes, stands in a result, it is read.
"""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from golden.function_values import NESTED, VALUES
from kit.perturbation import Row

_TOKEN = "Qm7Zr4Wk9Xt2Bn5Vc8"
_DIGITS = "4929174803"


def _texts(token: str) -> list[str]:
    """Texts of one length that differ in a single character: whatever leaves out a part makes two of them alike."""
    changed = {
        at: chr(ord(token[at]) + 1) for at in (0, 1, 3, len(token) // 2, len(token) - 3, len(token) - 1)
    }
    return [token, *(token[:at] + new + token[at + 1 :] for at, new in changed.items())]


def _moments(parts: str) -> list[str]:
    """Moments that differ in a single part, each of which is alike in all the other ones."""
    base = "2024-03-15T10:21:30.123456"
    moments = (
        base,
        "2023" + base[4:],
        "2024-04" + base[7:],
        "2024-03-16" + base[10:],
        "2024-03-22" + base[10:],  # the same day of the week
        "2023-03-16" + base[10:],  # the same day of the year
        base[:11] + "11" + base[13:],
        base[:14] + "22" + base[16:],
        base[:17] + "31" + base[19:],
        base[:-1] + "7",
    )
    found = [m[:10] if parts == "date" else m[11:19] if parts == "time" else m for m in moments]
    return list(dict.fromkeys(found))


def _bytes(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


PROBES: Mapping[str, Sequence[Any]] = {
    "an_int": [3, 13, 23, 103, 2, 4, 6, 7],
    "a_long": [11, 12, 21, 13, 111, 211, 1011, 14],
    "a_double": [0.11, 0.12, 0.21, 0.52, 0.53, 0.93],
    "a_decimal": [1234.56, 1234.57, 2234.56, 1235.56, 7.05],
    "a_text": _texts(_TOKEN),
    "b_text": _texts("Hj3Ls6Pd1Fg8Yw4Ke9"),
    "a_flag": [True, False],
    "some_bytes": [_bytes(text) for text in _texts(_TOKEN)],
    "a_date": _moments("date"),
    "a_stamp": _moments("timestamp"),
    "a_doc": [f'{{"a": {i}, "b": "{text}", "c": [1]}}' for i, text in enumerate(_texts(_TOKEN))],
    "digits": [_DIGITS, "5929174803", "4929174813", "4929174804", "4930174803"],
    "a_day": _moments("date"),
    "a_time": _moments("time"),
    "a_zone": ["Europe/Rome", "Asia/Tokyo", "America/Lima", "Asia/Kolkata"],
    "a_url": [
        f"http://{host}.org/{path}?a={key}&b=%20"
        for host, path, key in (("h", "p", "1"), ("g", "p", "1"), ("h", "q", "1"), ("h", "p", "2"))
    ],
    "a_xml": [f"<p><a>{i}</a></p>" for i in range(1, 6)],
    "a_unit": ["year", "month", "quarter", "week"],
    "a_point": list(VALUES["a_point"][0]),
    **{name: [make(i) for i in range(6)] for name, make in NESTED.items()},
}
"""Values of each column; the first one is in the rows in which another column is varied."""


def varied(column: str) -> list[Row]:
    """A row for each of the column's values, the other columns as they are in the first."""
    first = {name: values[0] for name, values in PROBES.items()}
    return [{**first, column: value} for value in PROBES[column]]


def grouped(groups: int = 5, members: int = 3) -> list[Row]:
    """Groups of rows, of which no column but a truth value has the same value twice in a group."""
    return [
        {"id": group, **{name: _member(name, group * members + i) for name in PROBES}}
        for group in range(groups)
        for i in range(members)
    ]


def _member(name: str, i: int) -> Any:
    match PROBES[name][0]:
        case bool():
            return i % 2 == 0
        case int():
            return 1_000 + i * i * 37
        case float():
            return round(0.0123 + i * i * 0.00417, 5)
        case str() as text if name in ("a_text", "b_text"):
            return f"{text}{i:03}"
        case _:
            return PROBES[name][i % len(PROBES[name])]


def one_to_one(results: Sequence[Any]) -> bool:
    """Whether each value has a result of its own."""
    written = {json.dumps(result, sort_keys=True) for result in results}
    return len(written) == len(results) > 1


def is_read(value: Any, result: Any) -> bool:
    """Whether the value stands in the result, or in bytes that the result encodes."""
    found = list(_leaves(result))
    if any(type(value) is type(each) and value == each for each in found):
        return True
    texts = [each for each in found if isinstance(each, str)]
    return any(
        needle in content for text in texts for content in _decoded(text) for needle in _encodings(value)
    )


def _leaves(result: Any) -> Iterator[Any]:
    match result:
        case dict():
            for key, value in result.items():
                yield key
                yield from _leaves(value)
        case list():
            for item in result:
                yield from _leaves(item)
        case _:
            yield result


def _decoded(text: str) -> Iterator[bytes]:
    """The text, backwards, and what it is the base64, base32 or hexadecimal form of."""
    yield text.encode()
    yield text[::-1].encode()
    for decode in (base64.b64decode, base64.b32decode, bytes.fromhex):
        with suppress(ValueError):
            yield decode(text)


LEAST_CHARACTERS = 6
"""The length from which a text that is found in another is no coincidence."""


def _encodings(value: Any) -> Iterator[bytes]:
    match value:
        case bool() | None:
            return
        case int():
            yield struct.pack("<q", value)
        case float():
            yield struct.pack("<d", value)
        case str() if len(value) >= LEAST_CHARACTERS:
            yield value.encode()
        case _:
            return
