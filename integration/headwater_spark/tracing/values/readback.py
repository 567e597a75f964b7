"""What can be read back of the arguments of Spark's functions: a table by Catalyst class name.

A row is one of ``Retains``, or a rule where constants, types or the argument's place decide. Whatever is not in the
table contains its arguments: that is never too little. A rule that is not certain takes the stronger word. So a
substring is a part of the value only if it is short: of a long one nobody knows what is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from headwater_facets.kinds import Retains
from headwater_plan.nodes import Call, Cast, Construct, Expression, Literal
from headwater_plan.types import AtomicType

Rule: TypeAlias = Callable[[Call, int], Retains]
"""(call, position of the argument) → what the result retains of that argument."""

FEW_CHARACTERS: Final = 4
"""Characters of a text that are certainly a part of it only."""
MOST = 2**31 - 1
"""The length that Spark puts where a program states none."""


def retains_of(call: Call, position: int = 0) -> Retains:
    """What of the argument at that position can be read back from the call's result."""
    row = TABLE.get(call.function, Retains.CONTAINS)
    return row if isinstance(row, Retains) else row(call, position)


def is_constant(e: Expression | None) -> bool:
    """Whether the program's text alone gives the expression's value."""
    match e:
        case Literal():
            return True
        case Cast():
            return is_constant(e.child)
        case Call():
            return bool(e.args) and all(map(is_constant, e.args))
        case Construct():
            return all(is_constant(part) for _, part in e.parts)
        case _:
            return False


def compared(call: Call, position: int) -> Retains:
    """A fact, except of a truth value, which is equal to another or else its opposite."""
    types = [a.type for a in call.args]
    return Retains.CONTAINS if AtomicType("boolean") in types or None in types else Retains.FACT


def substring(call: Call, position: int) -> Retains:
    if position > 0:
        return Retains.FACT
    start, length = _whole_number(call, 1), _whole_number(call, 2, MOST)
    if start is None or length is None:
        return Retains.CONTAINS
    if start in (0, 1) and length == MOST:
        return Retains.VALUE
    characters = min(length, -start) if start < 0 else length
    return _characters(characters)


def end_of_text(call: Call, position: int) -> Retains:
    """left, right: so many characters of it."""
    return Retains.FACT if position > 0 else _characters(_whole_number(call, 1))


def _characters(number: int | None) -> Retains:
    return Retains.PART if number is not None and number <= FEW_CHARACTERS else Retains.CONTAINS


def up_to_delimiter(call: Call, position: int) -> Retains:
    """What stands before the first, or behind the last, of the delimiters: the domain of an address."""
    if position > 0:
        return Retains.CONTAINS
    once = _whole_number(call, 2) in (1, -1) and _text(call, 1)
    return Retains.PART if once else Retains.CONTAINS


def masked(call: Call, position: int) -> Retains:
    """Its shape, where capital letters, small letters and digits are all replaced; NULL keeps a class as it is."""
    replacements = call.args[1:]
    if position > 0 or not all(isinstance(r, Literal) for r in replacements):
        return Retains.CONTAINS
    if len(replacements) == 4 and all(map(_is_null, replacements)):
        return Retains.VALUE
    return Retains.CONTAINS if any(map(_is_null, replacements[:3])) else Retains.FACT


def hashed(call: Call, position: int) -> Retains:
    """A short hash; that of one number is one to one, and can be computed backwards."""
    others = (a for i, a in enumerate(call.args) if i != position)
    kind = call.args[position].type
    is_text = not isinstance(kind, AtomicType) or kind.name in ("string", "binary")
    return Retains.PART if is_text or not all(map(is_constant, others)) else Retains.CONTAINS


def keyed(call: Call, position: int) -> Retains:
    """hmac: a bare digest for whoever has the program, if the key stands in it."""
    return Retains.TOKEN if position == 0 and is_constant(call.args[1]) else Retains.KEYED_TOKEN


_AES_VECTOR: Final = 4
"""The position of the initialisation vector, which stands before the encrypted value."""


def encrypted(call: Call, position: int) -> Retains:
    """Readable if the key stands in the program."""
    at_hand = position == 0 and is_constant(call.args[1])
    return Retains.CONTAINS if at_hand or position == _AES_VECTOR else Retains.KEYED_TOKEN


def position_in(text: int, searched: int) -> Rule:
    """Where something is found: a fact about both; in a constant text, each place is of one thing only."""

    def rule(call: Call, position: int) -> Retains:
        listed = position == searched and is_constant(call.args[text])
        return Retains.CONTAINS if listed or position not in (text, searched) else Retains.FACT

    return rule


def remainder(call: Call, position: int) -> Retains:
    """The last digit is a part; the remainder of a greater divisor may be the number itself."""
    divisor = _whole_number(call, 1)
    small = divisor is not None and abs(divisor) <= 10
    return Retains.PART if position == 0 and small else Retains.CONTAINS


_COARSE: Final = frozenset({"year", "yyyy", "yy", "quarter", "month", "mon", "mm", "week"})


def truncated(unit: int) -> Rule:
    """A date or time down to the unit that stands at a position: a part if that is longer than a day."""

    def rule(call: Call, position: int) -> Retains:
        coarse = _text(call, unit).lower() in _COARSE
        return Retains.PART if position != unit and coarse else Retains.CONTAINS

    return rule


def formatted_date(call: Call, position: int) -> Retains:
    """A date in a format without its year or without its day is a part of it."""
    letters = _text(call, 1)
    partial = letters and ("y" not in letters or not set("dD") & set(letters))
    return Retains.PART if position == 0 and partial else Retains.CONTAINS


def part_of_address(call: Call, position: int) -> Retains:
    """The host, the path … of a URL."""
    return Retains.PART if position == 0 and _text(call, 1) else Retains.CONTAINS


def _whole_number(call: Call, position: int, default: int | None = None) -> int | None:
    """The constant at that position, None if it is no constant number."""
    if position >= len(call.args):
        return default
    value = getattr(call.args[position], "value", None)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _text(call: Call, position: int) -> str:
    """The constant at that position, empty if it is no constant text."""
    value = getattr(call.args[position], "value", None) if position < len(call.args) else None
    return value if isinstance(value, str) else ""


def _is_null(e: Expression) -> bool:
    return isinstance(e, Literal) and e.text == "NULL"


def _names(row: Retains | Rule, names: str) -> dict[str, Retains | Rule]:
    return dict.fromkeys(names.split(), row)


TABLE: Mapping[str, Retains | Rule] = {
    # Stages of machine learning; what is made of a value with a model can be read with the model.
    **dict.fromkeys(("ml.HashingTF", "ml.LSHModel", "ml.PCAModel", "ml.Bucketizer"), Retains.PART),
    "ml.Binarizer": Retains.FACT,
    **_names(
        Retains.FACT,
        "IsNull IsNotNull IsNaN AtLeastNNonNulls Length BitLength OctetLength Levenshtein JaroWinkler Like ILike RLike "
        "LikeAll LikeAny NotLikeAll NotLikeAny Contains StartsWith EndsWith Signum ArraysOverlap ArrayContains "
        "MapContainsKey RegExpCount RegExpInStr LengthOfJsonArray Size ArraySize Luhncheck IsValidUTF8 IsVariantNull "
        "IsValidVariant SchemaOfVariant SchemaOfVariantAgg BitwiseCount BitmapCount PosExplode",
    ),
    **_names(
        compared,
        "EqualTo EqualNullSafe LessThan LessThanOrEqual GreaterThan GreaterThanOrEqual Between In InSet",
    ),
    "StringInstr": position_in(text=0, searched=1),
    "StringLocate": position_in(text=1, searched=0),
    "FindInSet": position_in(text=1, searched=0),
    "ArrayPosition": position_in(text=0, searched=1),
    # parts
    **_names(
        Retains.PART,
        "Year YearOfWeek Quarter Month MonthName WeekOfYear DayOfMonth DayOfYear DayOfWeek DayName WeekDay Hour Minute "
        "Second SecondWithFraction HoursOfTime MinutesOfTime SecondsOfTime SecondsOfTimeWithFraction LastDay NextDay "
        "SoundEx Ascii BitwiseGet Crc32",
    ),
    **_names(substring, "Substring"),
    **_names(end_of_text, "Left Right"),
    "SubstringIndex": up_to_delimiter,
    **_names(part_of_address, "ParseUrl TryParseUrl"),
    **_names(remainder, "Remainder Pmod"),
    "TruncDate": truncated(unit=1),
    "TruncTimestamp": truncated(unit=0),
    "DateFormatClass": formatted_date,
    # hashes, masks and what is encrypted
    **_names(hashed, "Murmur3Hash XxHash64 CollationAwareMurmur3Hash CollationAwareXxHash64"),
    **_names(Retains.TOKEN, "Md5 Sha1 Sha2 CountMinSketchAgg HllSketchAgg HllUnionAgg HllUnion"),
    **_names(Retains.TOKEN, "ThetaSketchAgg ThetaUnionAgg ThetaIntersectionAgg"),
    "Hmac": keyed,
    "AesEncrypt": encrypted,
    "Mask": masked,
    # aggregates
    **_names(
        Retains.STATISTIC,
        "Count CountIf RegrCount HyperLogLogPlusPlus HllSketchEstimate ThetaSketchEstimate Sum Average Product "
        "StddevPop StddevSamp VariancePop VarianceSamp Skewness Kurtosis Corr CovPopulation CovSample "
        "RegrAvgX RegrAvgY RegrIntercept RegrR2 RegrSlope RegrSXX RegrSXY RegrSYY VectorAvg VectorSum "
        "KllSketchGetNBigint KllSketchGetNDouble KllSketchGetNFloat",
    ),
    **_names(
        Retains.VALUE, "ApproxTopK ApproximatePercentile Percentile Median PercentileCont PercentileDisc"
    ),
}
"""Rows of functions that do not contain all of each argument."""

RESTORING: Final = frozenset({"AesDecrypt"})
"""Functions that make readable again what a key hid."""

UNPACKED: Final = frozenset(
    {"Lower", "Upper", "InitCap", "StringTrim", "StringTrimLeft", "StringTrimRight", "TryEval"}
    | {"StringSplit", "StringSplitSQL"}
)
"""Functions whose result holds nothing beside the value."""
