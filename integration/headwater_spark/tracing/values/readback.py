"""What can be read back of the arguments of Spark's functions: a table by their names.

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
        "isnull isnotnull isnan at_least_n_non_nulls length bit_length octet_length levenshtein "
        "jaro_winkler_similarity like ilike rlike like_all like_any not_like_all not_like_any contains "
        "startswith endswith signum arrays_overlap array_contains map_contains_key regexp_count regexp_instr "
        "json_array_length size array_size luhn_check is_valid_utf8 is_variant_null is_valid_variant "
        "bit_count bitmap_count posexplode",
    ),
    **_names(
        compared,
        "= <=> < <= > >= between in in_set",
    ),
    "instr": position_in(text=0, searched=1),
    "locate": position_in(text=1, searched=0),
    "find_in_set": position_in(text=1, searched=0),
    "array_position": position_in(text=0, searched=1),
    # parts
    **_names(
        Retains.PART,
        "year year_of_week quarter month monthname weekofyear dayofmonth dayofyear dayofweek dayname weekday "
        "hour minute second second_with_fraction hours_of_time minutes_of_time seconds_of_time "
        "seconds_of_time_with_fraction last_day next_day soundex ascii getbit crc32",
    ),
    **_names(substring, "substring"),
    **_names(end_of_text, "left right"),
    "substring_index": up_to_delimiter,
    **_names(part_of_address, "parse_url try_parse_url"),
    **_names(remainder, "% pmod"),
    "trunc": truncated(unit=1),
    "date_trunc": truncated(unit=0),
    "date_format": formatted_date,
    # hashes, masks and what is encrypted
    **_names(hashed, "hash xxhash64 collation_aware_murmur3_hash collation_aware_xxhash64"),
    **_names(Retains.TOKEN, "md5 sha1 sha2 count_min_sketch hll_sketch_agg hll_union_agg hll_union"),
    **_names(Retains.TOKEN, "theta_sketch_agg theta_union_agg theta_intersection_agg"),
    "hmac": keyed,
    "aes_encrypt": encrypted,
    "mask": masked,
    # aggregates
    **_names(
        Retains.STATISTIC,
        "count count_if regr_count approx_count_distinct hll_sketch_estimate theta_sketch_estimate sum avg "
        "product stddev_pop stddev_samp var_pop var_samp skewness kurtosis corr covar_pop covar_samp "
        "regr_avgx regr_avgy regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy vector_avg "
        "vector_sum kll_sketch_get_n_bigint kll_sketch_get_n_double kll_sketch_get_n_float",
    ),
    **_names(
        Retains.VALUE, "approx_top_k percentile_approx percentile median percentile_cont percentile_disc"
    ),
}
"""Rows of functions that do not contain all of each argument."""

RESTORING: Final = frozenset({"aes_decrypt"})
"""Functions that make readable again what a key hid."""

UNPACKED: Final = frozenset(
    {"lower", "upper", "initcap", "trim", "ltrim", "rtrim", "try_eval"} | {"split", "string_split_sql"}
)
"""Functions whose result holds nothing beside the value."""
