"""The JSON of a GraphQL request: what cannot be read, or cannot be kept or compared by a store, is refused here.

A ``BodyError`` names the place as a JSON pointer. Its codes are those of events: ``NOT_JSON``, ``TOO_DEEP``,
``BAD_TEXT`` (half a surrogate pair, which no encoding can write) and ``BAD_NUMBER`` (one that is beyond all bounds).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any, Final

from headwater_backend.server.problems import BodyError

_DIGITS: Final = 400
"""An integer of more digits is infinite as a float, and takes the square of their number to be read as an integer."""


_NESTING: Final = 60
"""No argument nests nearly as deep, and what is recursive reads it easily."""


def require_plain_json(headers: Mapping[str, str]) -> None:
    """Raise ``BodyError`` unless the headers say that the body is JSON, and not packed.

    What a page's form can send is of another type, so no page of another site can have a browser send a question.
    """
    encoding = headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("identity", ""):
        raise _unsupported("UNKNOWN_ENCODING", f"{encoding!r} is not understood here", "send it as it is")
    media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json":
        detail = f"the content type {media_type!r} is not understood here"
        raise _unsupported(
            "UNKNOWN_MEDIA_TYPE", detail, "send JSON, and say so: Content-Type: application/json"
        )


def read(text: bytes | str) -> Any:
    """What the JSON says; raises ``BodyError``."""
    try:
        plain = text if isinstance(text, str) else text.decode("utf-8-sig")
        document = json.loads(plain, parse_int=_number)
    except UnicodeDecodeError as error:
        detail = f"the byte at {error.start} is not UTF-8"
        raise _refusal("NOT_JSON", detail, hint="send JSON in UTF-8, and not packed") from None
    except ValueError as error:
        raise _refusal("NOT_JSON", str(error)) from None
    except RecursionError:
        raise _refusal("TOO_DEEP", "the request nests too deep") from None
    for pointer, value in _scalars(document):
        if isinstance(value, float) and not math.isfinite(value):
            raise _refusal("BAD_NUMBER", "a number that is too large, or none", pointer)
        if isinstance(value, str) and not is_text(value):
            raise _refusal("BAD_TEXT", "half a surrogate pair is not text", pointer)
    return document


def is_text(value: str) -> bool:
    """Whether it can be written in UTF-8; half a surrogate pair cannot."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _number(digits: str) -> float:
    return int(digits) if len(digits) <= _DIGITS else float(digits)


def _scalars(document: Any) -> Iterator[tuple[str, Any]]:
    """Each value that holds no others, and each name of a member, with the pointer to its place."""
    level = [("", document)]
    for _ in range(_NESTING):
        yield from ((pointer, value) for pointer, value in level if not isinstance(value, Mapping | list))
        yield from (
            (pointer, name) for pointer, value in level if isinstance(value, Mapping) for name in value
        )
        level = [(f"{pointer}/{name}", child) for pointer, value in level for name, child in _children(value)]
    if level:
        raise _refusal("TOO_DEEP", f"the request nests deeper than {_NESTING}", level[0][0])


def _children(value: Any) -> Iterator[tuple[str, Any]]:
    """The values in an object or an array, with their steps of a JSON pointer."""
    if isinstance(value, Mapping):
        yield from ((name.replace("~", "~0").replace("/", "~1"), child) for name, child in value.items())
    elif isinstance(value, list):
        yield from ((str(index), child) for index, child in enumerate(value))


def _unsupported(code: str, detail: str, hint: str) -> BodyError:
    return BodyError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, code, detail, hint)


def _refusal(code: str, detail: str, pointer: str | None = None, hint: str | None = None) -> BodyError:
    return BodyError(HTTPStatus.BAD_REQUEST, code, detail, hint, pointer)
