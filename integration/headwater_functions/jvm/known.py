"""Methods of Java's and Scala's libraries and of Spark's rows: what their results are made of.

They compute with what they are called on and given, and change nothing, apart from those that are named as exceptions.
Whatever else is called makes a function opaque.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum


class Known(Enum):
    """What a method gives: its one value as it is, a computed one, a fact, a member, or what was built before."""

    MOVES = "moves"
    COMPUTES = "computes"
    FACT = "fact"
    MEMBER = "member"
    BUILDS = "builds"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FACTS = _words(
    "length isEmpty nonEmpty isBlank startsWith endsWith contains equals equalsIgnoreCase matches contentEquals "
    "regionMatches isBefore isAfter isEqual isNegative isZero isDigit isLetter isLetterOrDigit isUpperCase isLowerCase "
    "isWhitespace isNaN isInfinite isLeapYear"
)
_COMPUTE_ONLY = re.compile(
    r"java/lang/(String|Math|StrictMath|Character|Integer|Long|Double|Float|Short|Byte|Boolean|Number|CharSequence)"
    r"|java/math/(BigDecimal|BigInteger|RoundingMode|MathContext)"
    r"|java/time/(LocalDate|LocalDateTime|LocalTime|Instant|Duration|Period|Year|YearMonth|ZonedDateTime|OffsetDateTime"
    r"|ZoneId|ZoneOffset|DayOfWeek|Month|format/DateTimeFormatter)"
    r"|java/util/(UUID|Base64(\$Encoder|\$Decoder)?)"
    r"|scala/collection/(immutable/)?StringOps\$?|scala/math/package\$|scala/runtime/Rich(Int|Long|Double|Char)\$?"
)
_EXCEPT = _words(
    "getChars transform with query adjustInto describeConstable resolveConstantDesc toChars copyToArray wrap "
    "getInteger getLong getBoolean"
)
"""They write into what they are given, call it, or ask the machine."""
_ROWS = _words(
    "get getAs getString getInt getLong getDouble getFloat getShort getByte getBoolean getDecimal getDate getTimestamp "
    "getLocalDate getInstant getStruct apply"
)
_BUILDERS = frozenset(("java/lang/StringBuilder", "scala/collection/mutable/StringBuilder"))
_OTHERS: Mapping[tuple[str, str], Known] = {
    **{("org/apache/spark/sql/Row", name): Known.MEMBER for name in _ROWS},
    **{
        ("org/apache/spark/sql/Row", name): Known.COMPUTES
        for name in ("toString", "mkString", "fieldIndex", "hashCode", "size", "length", "json", "prettyJson")
    },
    ("org/apache/spark/sql/Row", "isNullAt"): Known.COMPUTES,
    ("java/util/Objects", "equals"): Known.FACT,
    ("java/util/Objects", "isNull"): Known.FACT,
    ("java/util/Objects", "nonNull"): Known.FACT,
    ("java/util/Objects", "toString"): Known.COMPUTES,
    ("java/util/Objects", "requireNonNull"): Known.COMPUTES,
    ("java/security/MessageDigest", "getInstance"): Known.COMPUTES,
    ("java/security/MessageDigest", "digest"): Known.COMPUTES,
    ("org/apache/spark/sql/RowFactory", "create"): Known.COMPUTES,
    ("scala/Predef$", "augmentString"): Known.MOVES,
    ("scala/Predef$", "wrapString"): Known.MOVES,
    ("scala/runtime/BoxesRunTime", "equals"): Known.FACT,
    ("scala/runtime/Statics", "anyHash"): Known.COMPUTES,
    ("scala/Option$", "apply"): Known.MOVES,
    **{(owner, "get"): Known.MOVES for owner in ("scala/Option", "scala/Some")},
    **{("scala/Option", name): Known.FACT for name in ("isDefined", "isEmpty", "nonEmpty")},
    **{
        (f"scala/collection/{owner}", name): Known.COMPUTES
        for owner in ("Seq", "immutable/Seq", "immutable/List", "IterableOnceOps", "SeqOps")
        for name in ("mkString", "head", "last", "apply", "size", "length", "isEmpty", "nonEmpty", "contains")
    },
    **{
        ("java/util/List", name): Known.COMPUTES for name in ("get", "size", "isEmpty", "contains", "indexOf")
    },
}
_TUPLE = re.compile(r"scala/Tuple\d+")
_PART = re.compile(r"_\d+(\$mc[ICDJ]+\$sp)?")
_BOXING = re.compile(r"boxTo\w+|unboxTo\w+")
_CALLBACK = re.compile(r"Lscala/(Partial)?Function|Ljava/util/function/")


def known(owner: str, name: str, descriptor: str) -> Known | None:
    """What the method gives; None for one that is not known."""
    given = descriptor.partition(")")[0]
    # Of two arrays, one is written into.
    if _CALLBACK.search(given) or given.count("[") > 1 or (name == "digest" and "I" in given):
        return None
    if owner in _BUILDERS:
        return Known.BUILDS if name in ("append", "insert", "reverse", "<init>") else _of_text(name)
    if owner == "scala/runtime/BoxesRunTime" and _BOXING.fullmatch(name):
        return Known.MOVES
    found = _OTHERS.get((owner, name))
    if found is not None:
        return found
    if not _COMPUTE_ONLY.fullmatch(owner):
        is_part = _TUPLE.fullmatch(owner) and _PART.fullmatch(name)
        return Known.COMPUTES if is_part else None
    if name in _EXCEPT or (name == "getBytes" and "[" in given):
        return None
    boxes = name == "valueOf" and re.fullmatch(r"\([ZBCSIJFD]\)L\w+(/\w+)+;", descriptor)
    if boxes and owner != "java/lang/String" and not owner.startswith("java/math/"):
        return Known.MOVES
    return Known.FACT if name in _FACTS else Known.COMPUTES


def _of_text(name: str) -> Known | None:
    computes = ("toString", "result", "substring", "charAt", "length", "indexOf", "isEmpty", "mkString")
    return Known.COMPUTES if name in computes else None


MADE = _BUILDERS | {
    "java/math/BigDecimal",
    "java/math/BigInteger",
    "java/lang/String",
    "scala/collection/immutable/StringOps",
    *(f"scala/Tuple{n}" for n in range(1, 23)),
    "scala/Some",
}
"""Classes of which instances hold what they were made of, and nothing else."""
MODULES = re.compile(r"scala/(Predef|Option|None|collection/StringOps|math/package|runtime/Rich\w+)\$")
CONSTANTS = frozenset(
    {
        ("java/lang/Boolean", "TRUE"),
        ("java/lang/Boolean", "FALSE"),
        ("java/util/Locale", "ROOT"),
        ("java/util/Locale", "ENGLISH"),
        ("java/util/Locale", "US"),
        *(("java/math/BigDecimal", name) for name in ("ZERO", "ONE", "TEN")),
        *(("java/math/RoundingMode", name) for name in ("HALF_UP", "HALF_EVEN", "UP", "DOWN", "FLOOR", "CEILING")),
        *(("java/nio/charset/StandardCharsets", name) for name in ("UTF_8", "US_ASCII", "ISO_8859_1")),
        *(("java/time/ZoneOffset", name) for name in ("UTC",)),
        *(("java/time/format/DateTimeFormatter", name) for name in ("ISO_DATE", "ISO_LOCAL_DATE", "BASIC_ISO_DATE")),
    }
)  # fmt: skip
"""Fields of classes that never change."""
