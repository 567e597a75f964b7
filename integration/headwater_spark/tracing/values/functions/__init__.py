"""What Spark's functions do to the paths of their arguments: a table of rules by their names.

A rule takes the call and the values of its arguments and gives the value of the result. Anything not in the
table is ``compute``: the result may depend on all of every argument. So the table only lists functions that do
something better known than that. Functions with lambdas are in ``lambdas``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from headwater_plan.functions import UNRESOLVED
from headwater_plan.nodes import Call
from headwater_plan.types import KEY, VALUE
from headwater_spark.tracing.values.functions.aggregates import (
    aggregate,
    count,
    extreme,
    neighbour,
    nest,
    nest_by_value,
    pick,
    pivot_first,
    text_list,
)
from headwater_spark.tracing.values.functions.collections import (
    any_of,
    array_extreme,
    array_of,
    array_repeat,
    arrays_zip,
    concat,
    flatten,
    kept,
    kept_by_value,
    map_from_arrays,
    map_from_entries,
    measured,
    ordered,
    reverse,
    united,
    with_element,
    without_nulls,
)
from headwater_spark.tracing.values.functions.steps import (
    Rule,
    compute,
    failure,
    generated,
    mask,
    serialize,
    unknown,
)
from headwater_spark.tracing.values.functions.texts import (
    by_path,
    by_xpath,
    from_json,
    pack,
    pack_csv,
    pack_xml,
    parse,
    parse_variant,
    take,
    unpack,
    unpack_csv,
    unpack_xml,
)
from headwater_spark.tracing.values.value import Value, merge


def _names(rule: Rule, names: str) -> dict[str, Rule]:
    return dict.fromkeys(names.split(), rule)


FUNCTIONS: Mapping[str, Rule] = {
    **_names(
        mask,
        "md5 sha1 sha2 crc32 hash xxhash64 hive_hash collation_aware_murmur3_hash collation_aware_xxhash64 "
        "hmac mask aes_encrypt",
    ),
    **_names(
        parse,
        "json_tuple from_avro from_protobuf str_to_map multi_get_json_object json_table",
    ),
    **_names(
        serialize,
        "to_avro to_protobuf concat_ws format_string array_join",
    ),
    **_names(pack, "to_json to_variant_object"),
    "from_json": unpack(from_json),
    **_names(unpack(by_path), "get_json_object variant_get"),
    "parse_json": parse_variant,
    "to_csv": pack_csv,
    "from_csv": unpack_csv,
    "to_xml": pack_xml,
    "from_xml": unpack_xml,
    **_names(
        by_xpath,
        "xpath_string xpath xpath_boolean xpath_double xpath_float xpath_int xpath_long xpath_short",
    ),
    **_names(take(parse), "parse_url try_parse_url"),
    **_names(take(compute), "split_part substring_index regexp_extract"),
    # arrays that keep their elements
    **_names(kept, "slice shuffle map_sort"),
    "sort_array": ordered,
    "array_compact": without_nulls,
    **_names(array_extreme, "array_max array_min"),
    **_names(measured, "size array_size"),
    **_names(kept_by_value, "array_distinct array_remove array_except array_intersect"),
    "array_union": united,
    "map_concat": any_of,
    **_names(with_element, "array_append array_prepend array_insert"),
    "concat": concat,
    "reverse": reverse,
    "flatten": flatten,
    "array_repeat": array_repeat,
    "arrays_zip": arrays_zip,
    # maps
    "map_keys": array_of(KEY),
    "map_values": array_of(VALUE),
    "map_entries": array_of(KEY, VALUE),
    "map_from_arrays": map_from_arrays,
    "map_from_entries": map_from_entries,
    # no input
    **_names(
        generated,
        "rank dense_rank percent_rank cume_dist row_number ntile current_date current_timestamp now "
        "localtimestamp current_time uuid rand randn randstr monotonically_increasing_id spark_partition_id "
        "input_file_name current_user current_catalog current_database current_path current_timezone "
        "current_batch_timestamp current_timestamp_nanos local_timestamp_nanos grouping_id version "
        "input_file_block_start input_file_block_length distributed_sequence_id uniform typeof collation pi e "
        "sql_keywords collations",
    ),
    "raise_error": failure,
    **_names(neighbour, "lag lead"),
}
"""Rules of functions that are not aggregates."""

AGGREGATES: Mapping[str, Rule] = {
    **_names(pick, "first last any_value max_by min_by nth_value max_min_by_k"),
    **_names(extreme, "min max mode"),
    "pivot_first": pivot_first,
    "collect_list": nest,
    **_names(nest_by_value, "collect_set collect_top_k"),
    "listagg": text_list,
    **_names(count, "count count_if count_min_sketch approx_count_distinct hll_sketch_agg regr_count"),
}
"""Rules of aggregate functions; any other is ``aggregate``."""


def value_of(call: Call, args: Sequence[Value], operator: int) -> Value:
    """The result of a function that is no aggregate."""
    rule = FUNCTIONS.get(call.function) or AGGREGATES.get(call.function, compute)
    if not args and rule is not generated:
        return unknown(call)
    value = rule(call, args, operator)
    return merge((value, unknown(call))) if call.function == UNRESOLVED else value


def aggregated_value_of(call: Call, args: Sequence[Value], operator: int) -> Value:
    """The result of an aggregate function over a group or a window."""
    rule = AGGREGATES.get(call.function, aggregate)
    if args:
        return rule(call, args, operator)
    return count(call, args, operator) if rule is count else value_of(call, args, operator)
