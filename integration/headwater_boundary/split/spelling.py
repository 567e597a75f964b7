"""How expressions are written of which Spark's own text leaves something out: patterns, schemas, options, types.

A text from here is no promise: like any other, it is read back and compared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from headwater_records_spark.jvm import EXPRESSIONS, Jvm, kind, listed

Inner = Callable[[Any], str]
"""Writes a part of the expression."""
Spelling = Callable[[Jvm, Any, Inner], "str | None"]


def spelled(jvm: Jvm, e: Any, inner: Inner) -> str | None:
    """The text of an expression; None where Spark's own will do."""
    spelling = SPELLINGS.get(kind(e))
    return None if spelling is None else spelling(jvm, e, inner)


def _added_days(_: Jvm, e: Any, inner: Inner) -> str | None:
    date, days = listed(e.children())
    sign = "+"
    if kind(days) == "UnaryMinus":
        sign, days = "-", days.child()
    if kind(days) != "ExtractANSIIntervalDays":
        return None
    return f"({inner(date)} {sign} {inner(days.child())})"


def _like(words: str) -> Spelling:
    def spell(jvm: Jvm, e: Any, inner: Inner) -> str:
        patterns = (_literal(jvm, str(each.toString())) for each in listed(e.patterns()))
        return f"({inner(e.child())} {words} ({', '.join(patterns)}))"

    return spell


def _escaped(word: str) -> Spelling:
    def spell(jvm: Jvm, e: Any, inner: Inner) -> str | None:
        left, right = listed(e.children())
        escape = str(e.escapeChar())
        is_usual = escape == "\\"
        return None if is_usual else f"({inner(left)} {word} {inner(right)} ESCAPE {_literal(jvm, escape)})"

    return spell


def _float(_: Jvm, e: Any, __: Inner) -> str | None:
    value = e.value()
    is_written = str(e.dataType().sql()) == "FLOAT" and value is not None and abs(value) < float("inf")
    return f"{value!r}F" if is_written else None


def _parsed(function: str) -> Spelling:
    def spell(jvm: Jvm, e: Any, inner: Inner) -> str:
        schema = _literal(jvm, str(e.schema().sql()))
        return _call(function, inner(e.child()), schema, *_options(jvm, e))

    return spell


def _with_options(function: str) -> Spelling:
    def spell(jvm: Jvm, e: Any, inner: Inner) -> str:
        return _call(function, inner(e.child()), *_options(jvm, e))

    return spell


def _taken_out_of_variant(jvm: Jvm, e: Any, inner: Inner) -> str:
    function = "variant_get" if e.failOnError() else "try_variant_get"
    return _call(function, *map(inner, listed(e.children())), _literal(jvm, str(e.targetType().sql())))


def _collated(_: Jvm, e: Any, inner: Inner) -> str:
    child, collation = listed(e.children())
    return f"({inner(child)} COLLATE {inner(collation)})"


def _with_seconds(_: Jvm, e: Any, inner: Inner) -> str | None:
    """The seconds that nobody has given are of a type that no literal has."""
    *others, seconds = listed(e.children())
    is_given = kind(seconds) != "Literal" or str(seconds.sql()) != "0.000000BD"
    return None if is_given else _call(str(e.prettyName()), *map(inner, others))


def _call(function: str, *arguments: str) -> str:
    return f"{function}({', '.join(arguments)})"


def _literal(jvm: Jvm, text: str) -> str:
    return str(jvm.one(EXPRESSIONS + "Literal").apply(text).sql())


def _options(jvm: Jvm, e: Any) -> list[str]:
    """The argument with the options, if there are any."""
    pairs = [
        _literal(jvm, str(part)) for each in listed(e.options().toSeq()) for part in (each._1(), each._2())
    ]
    return [_call("map", *pairs)] if pairs else []


SPELLINGS: Final[Mapping[str, Spelling]] = MappingProxyType(
    {
        "DateAdd": _added_days,
        "LikeAny": _like("LIKE ANY"),
        "LikeAll": _like("LIKE ALL"),
        "NotLikeAny": _like("NOT LIKE ANY"),
        "NotLikeAll": _like("NOT LIKE ALL"),
        "Like": _escaped("LIKE"),
        "ILike": _escaped("ILIKE"),
        "Literal": _float,
        "JsonToStructs": _parsed("from_json"),
        "CsvToStructs": _parsed("from_csv"),
        "XmlToStructs": _parsed("from_xml"),
        "StructsToJson": _with_options("to_json"),
        "StructsToCsv": _with_options("to_csv"),
        "StructsToXml": _with_options("to_xml"),
        "VariantGet": _taken_out_of_variant,
        "Collate": _collated,
        "MakeInterval": _with_seconds,
        "MakeDTInterval": _with_seconds,
    }
)
