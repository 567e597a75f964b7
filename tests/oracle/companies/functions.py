"""SQL functions of values and of groups, by what can be read back from their results."""

from __future__ import annotations

from typing import Final

READABLE: Final = (
    "lower({0})", "upper({0})", "trim({0})", "concat({0}, '-x')", "concat_ws(':', 'x', {0})", "substr({0}, 1, 9)",
    "reverse({0})", "base64(cast({0} AS binary))", "hex({0})", "to_json(named_struct('v', {0}))",
    "split({0}, '@')[0]", "initcap({0})", "encode({0}, 'utf-8')", "url_encode({0})", "array({0})", "map('k', {0})",
    "coalesce({0}, 'none')", "nullif({0}, 'none')", "lpad({0}, 40, '.')", "right({0}, 10)",
    "if(length({0}) > 2, {0}, 'none')", "named_struct('m', {0})", "transform(array({0}), x -> lower(x))",
)  # fmt: skip
"""Functions of a text whose result contains the text, or a part of it."""

UNREADABLE: Final = (
    "sha2({0}, 256)", "md5({0})", "sha1({0})", "sha2(concat('salt', {0}), 256)", "crc32(cast({0} AS binary))",
    "mask({0})", "length({0})", "{0} IS NULL", "soundex({0})",
)  # fmt: skip

NO_OPERATION: Final = (
    "mask({0}, NULL, NULL, NULL, NULL)", "translate({0}, '~', '!')", "overlay({0} PLACING '' FROM 1 FOR 0)",
    "substr({0}, 1)", "regexp_replace({0}, '[#~]+', '*')", "replace({0}, '~~', '')", "ltrim('~', {0})",
)  # fmt: skip
"""Functions that change a text, called so that they do not."""

NUMBERS: Final = ("{0} + 0", "cast({0} AS string)", "{0} * 1.0D", "abs({0})", "hex(cast({0} AS string))")

COLLECTED: Final = (
    "collect_list({0})",
    "collect_set({0})",
    "min({0})",
    "max({0})",
    "first({0})",
    "last({0})",
)
"""Aggregates of a text or number that give values of single records, and are known as such."""

ONE_OF_GROUP: Final = (
    "any_value({0})", "mode({0})", "min_by({0}, {1})", "max_by({0}, {1})", "string_agg({0}, ';')",
    "inline_approx", "array_join(collect_list({0}), ';')",
)  # fmt: skip
NUMBERS_OF_GROUP: Final = ("percentile({0}, 1.0)", "percentile_approx({0}, 0.5)", "median({0})", "mode({0})")
STATISTICS: Final = ("count({0})", "count(DISTINCT {0})", "approx_count_distinct({0})")
NUMBER_STATISTICS: Final = ("sum({0})", "avg({0})", "stddev({0})")
