"""Parser for the JSON of GraphQL requests that refuses values which a store cannot save or compare.

A ``BodyError`` contains a JSON pointer to the value. Its codes are those of events: ``NOT_JSON``, ``TOO_DEEP``,
``BAD_TEXT`` (a lone surrogate, which cannot be encoded) and ``BAD_NUMBER`` (one that is out of range).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any, Final

from headwater_backend.server.problems import BodyError

_DIGITS: Final = 400
"""Maximum digits of an integer; a longer one is infinite as a float, and parsing takes quadratic time."""


_NESTING: Final = 60
"""Maximum nesting; no valid argument nests as deeply, and recursive code handles it safely."""


def require_plain_json(headers: Mapping[str, str]) -> None:
    """Raise ``BodyError`` unless the headers declare uncompressed JSON.

    HTML forms cannot send JSON, so a page of another site cannot make a browser send a query.
    """
    encoding = headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("identity", ""):
        raise _unsupported("UNKNOWN_ENCODING", f"{encoding!r} is not supported", "send the body uncompressed")
    media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json":
        detail = f"the content type {media_type!r} is not supported"
        raise _unsupported("UNKNOWN_MEDIA_TYPE", detail, "send JSON with Content-Type: application/json")


def read(text: bytes | str) -> Any:
    """Parse the JSON; raises ``BodyError``."""
    try:
        plain = text if isinstance(text, str) else text.decode("utf-8-sig")
        document = json.loads(plain, parse_int=_number)
    except UnicodeDecodeError as error:
        detail = f"the byte at {error.start} is not UTF-8"
        raise _refusal("NOT_JSON", detail, hint="send uncompressed JSON in UTF-8") from None
    except ValueError as error:
        raise _refusal("NOT_JSON", str(error)) from None
    except RecursionError:
        raise _refusal("TOO_DEEP", "the request nests too deeply") from None
    for pointer, value in _scalars(document):
        if isinstance(value, float) and not math.isfinite(value):
            raise _refusal("BAD_NUMBER", "a number out of range or not a number", pointer)
        if isinstance(value, str) and not is_text(value):
            raise _refusal("BAD_TEXT", "a lone surrogate is not valid text", pointer)
    return document


def is_text(value: str) -> bool:
    """Return whether the string can be encoded in UTF-8; a lone surrogate cannot."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _number(digits: str) -> float:
    return int(digits) if len(digits) <= _DIGITS else float(digits)


def _scalars(document: Any) -> Iterator[tuple[str, Any]]:
    """Yield each scalar value and each member name with its JSON pointer."""
    level = [("", document)]
    for _ in range(_NESTING):
        yield from ((pointer, value) for pointer, value in level if not isinstance(value, Mapping | list))
        yield from (
            (pointer, name) for pointer, value in level if isinstance(value, Mapping) for name in value
        )
        level = [(f"{pointer}/{name}", child) for pointer, value in level for name, child in _children(value)]
    if level:
        raise _refusal("TOO_DEEP", f"the request nests deeper than {_NESTING} levels", level[0][0])


def _children(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the values in an object or array with their JSON pointer steps."""
    if isinstance(value, Mapping):
        yield from ((name.replace("~", "~0").replace("/", "~1"), child) for name, child in value.items())
    elif isinstance(value, list):
        yield from ((str(index), child) for index, child in enumerate(value))


def _unsupported(code: str, detail: str, hint: str) -> BodyError:
    return BodyError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, code, detail, hint)


def _refusal(code: str, detail: str, pointer: str | None = None, hint: str | None = None) -> BodyError:
    return BodyError(HTTPStatus.BAD_REQUEST, code, detail, hint, pointer)
