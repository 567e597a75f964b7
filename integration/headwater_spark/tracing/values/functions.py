"""What Spark's functions do to the paths of their arguments: a table of rules by their names.

A rule takes the call and the values of its arguments and gives the value of the result. Anything not in the
table is ``compute``: the result may depend on all of every argument. So the table only lists functions that do
something better known than that. Functions with lambdas are in ``lambdas``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from headwater_facets.kinds import MOVES, Access, LineageType, Manipulation, Retains, Subtype
from headwater_plan.functions import UNRESOLVED
from headwater_plan.nodes import Call, Expression, Literal
from headwater_plan.types import (
    ATOMIC,
    ELEMENT,
    KEY,
    VALUE,
    ArrayType,
    AtomicType,
    DataType,
    MapType,
    StructType,
    children,
)
from headwater_spark.tracing.values.function_names import name_of
from headwater_spark.tracing.values.ids import only
from headwater_spark.tracing.values.packed.members import (
    csv_of,
    has_plain_options,
    kind_of,
    names_of_elements,
    names_of_key,
    names_of_path,
    packed,
    packed_as_csv,
    packed_as_xml,
    taken_by_xpath,
    taken_from_csv,
    taken_from_xml,
    unpacked,
)
from headwater_spark.tracing.values.packed.texts import take_of_call, taken_text
from headwater_spark.tracing.values.readback import RESTORING, UNPACKED, retains_of
from headwater_spark.tracing.values.value import (
    NOTHING,
    How,
    Steps,
    Value,
    apply,
    collapse,
    constant,
    construct,
    decision,
    extract,
    merge,
    untraced,
)

Rule: TypeAlias = Callable[[Call, Sequence[Value], int], Value]
"""(call, values of its arguments, id of the operator) → value of the result."""


def direct(
    operator: int,
    *manipulation: Manipulation,
    subtype: Subtype = Subtype.IDENTITY,
    masking: bool = False,
    at: tuple[str, ...] = (),
    function: str = "",
    retains: Retains | None = None,
) -> How:
    """A direct step at this operator, by the function of that name if it changes the value.

    What only moves a value retains it; any other step is taken to contain it, unless ``retains`` says less.
    """
    moves = MOVES.issuperset(manipulation)
    return How(
        subtype=subtype,
        masking=masking,
        manipulation=manipulation,
        at=at,
        functions=(function,) if function else (),
        operators=only(operator),
        retains=retains or (Retains.VALUE if moves else Retains.CONTAINS),
        wraps=not moves,
    )


def called(
    call: Call,
    operator: int,
    manipulation: Manipulation,
    *,
    subtype: Subtype = Subtype.TRANSFORMATION,
    position: int = 0,
    at: tuple[str, ...] = (),
) -> How:
    """What a call does to its argument at a position. What can be read back is not masked."""
    retains = retains_of(call, position)
    hides = manipulation in (Manipulation.MASK, Manipulation.COUNT)
    if manipulation is Manipulation.MASK and retains.readable:
        manipulation = Manipulation.COMPUTE
    how = direct(
        operator,
        manipulation,
        subtype=subtype,
        masking=hides and not retains.readable,
        at=at,
        function=name_of(call),
        retains=retains,
    )
    return replace(how, restores=call.function in RESTORING, wraps=call.function not in UNPACKED)


def conditional(value: Value, operator: int, access: Access = Access.CONDITION) -> Value:
    """The value as one that only decides about the result."""
    return decision(value, Subtype.CONDITIONAL, access, operator)


def extent(collections: Iterable[Value], operator: int) -> Value:
    """What decides how many elements the collections have, and so how many are made of theirs."""
    how = How(
        LineageType.INDIRECT,
        Subtype.CONDITIONAL,
        access=Access.CONDITION,
        operators=only(operator),
        extent=True,
    )
    return merge(apply(collection, how) for collection in collections)


def named_as(value: Value, source: DataType | None, target: DataType | None, operator: int) -> Value:
    """A value of one type in the place of another that differs in the names of members alone: they go by position."""
    if source == target or _names_of(source) == _names_of(target):
        return value
    match source, target:
        case StructType(), StructType() if len(source.fields) == len(target.fields):
            renamed = direct(operator, Manipulation.RENAME)
            pairs = list(zip(source.fields, target.fields, strict=True))
            parts = [(s, t, named_as(extract(value, s.name), s.type, t.type, operator)) for s, t in pairs]
            return construct((t.name, v if s.name == t.name else apply(v, renamed)) for s, t, v in parts)
        case ArrayType(), ArrayType():
            element = named_as(extract(value, ELEMENT), source.element, target.element, operator)
            return merge((construct([(ELEMENT, element)]), extent([value], operator)))
        case MapType(), MapType():
            key = named_as(extract(value, KEY), source.key, target.key, operator)
            values = named_as(extract(value, VALUE), source.value, target.value, operator)
            return merge((construct([(KEY, key), (VALUE, values)]), extent([value], operator)))
        case _:
            return value


def _names_of(data_type: DataType | None) -> tuple[object, ...]:
    if data_type is None:
        return ()
    return tuple((step, _names_of(part)) for step, part in children(data_type))


def transformation(manipulation: Manipulation) -> Rule:
    """Everything in the arguments may be in the result."""

    def rule(call: Call, args: Sequence[Value], operator: int) -> Value:
        if not args:
            return unknown(call)
        return merge(
            apply(collapse(argument), called(call, operator, manipulation, position=position))
            for position, argument in enumerate(args)
        )

    return rule


def unknown(call: Call) -> Value:
    """An expression without arguments that is none of the known generators."""
    return untraced(f"the expression {call.pretty.lower()} is not known")


compute = transformation(Manipulation.COMPUTE)


def parse(call: Call, args: Sequence[Value], operator: int) -> Value:
    """Text taken apart: the result comes from the text; a constant JSON path or key is kept as position."""
    text, *others = args
    parsed = apply(collapse(text), _parsing(call, operator))
    return merge((parsed, *(conditional(o, operator, Access.INDEX) for o in others)))


def pack(call: Call, args: Sequence[Value], operator: int) -> Value:
    """Values packed under their names into JSON text, or into a variant."""
    how = called(call, operator, Manipulation.SERIALIZE)
    return packed(args[0], kind_of(call.args[0]), how)


def unpack(names: Callable[[Call], Steps | None]) -> Rule:
    """What is packed in JSON text, or in a variant, under the names that lead to it; all of it without names."""

    def rule(call: Call, args: Sequence[Value], operator: int) -> Value:
        text, *others = args
        how = _parsing(call, operator)
        deciding = (conditional(o, operator, Access.INDEX) for o in others)
        return merge((unpacked(text, kind_of(call), how, names(call), call.whole), *deciding))

    return rule


def from_json(call: Call) -> Steps | None:
    """A text is taken as a whole, member by member of the schema."""
    return ()


def by_path(call: Call) -> Steps | None:
    """The names in the JSON path that is the second argument."""
    return names_of_path(call.args[1]) if len(call.args) > 1 else None


def json_member(call: Call, args: Sequence[Value], operator: int) -> Value:
    """The member of a JSON text whose name is the second argument, as text."""
    text, key = args
    value = unpacked(text, ATOMIC, _parsing(call, operator), names_of_key(call.args[1]))
    return merge((value, conditional(key, operator, Access.INDEX)))


def pack_csv(call: Call, args: Sequence[Value], operator: int) -> Value:
    """Values packed into CSV, by their positions."""
    how = called(call, operator, Manipulation.SERIALIZE)
    return packed_as_csv(args[0], kind_of(call.args[0]), csv_of(call), how)


def unpack_csv(call: Call, args: Sequence[Value], operator: int) -> Value:
    """What is at the positions of CSV, under the names of a schema; expressions beside the text only decide."""
    how = _parsing(call, operator)
    deciding = (conditional(o, operator, Access.INDEX) for o in args[1:])
    return merge((taken_from_csv(args[0], kind_of(call), csv_of(call), how, call.whole), *deciding))


def pack_xml(call: Call, args: Sequence[Value], operator: int) -> Value:
    """Values packed into XML, by the names of elements."""
    if not has_plain_options(call):
        return serialize(call, args, operator)
    return packed_as_xml(args[0], kind_of(call.args[0]), called(call, operator, Manipulation.SERIALIZE))


def unpack_xml(call: Call, args: Sequence[Value], operator: int) -> Value:
    """What is in the elements of XML that a schema names."""
    if not has_plain_options(call):
        return parse(call, args, operator)
    how = _parsing(call, operator)
    deciding = (conditional(o, operator, Access.INDEX) for o in args[1:])
    return merge((taken_from_xml(args[0], kind_of(call), how, call.whole), *deciding))


def by_xpath(call: Call, args: Sequence[Value], operator: int) -> Value:
    """What is in the elements of XML that a constant XPath names; all of it for any other."""
    text, path = args[:2]
    names = names_of_elements(call.args[1])
    found = taken_by_xpath(text, names, kind_of(call), _parsing(call, operator))
    return merge((found, conditional(path, operator, Access.INDEX)))


def take(otherwise: Rule) -> Rule:
    """What is taken of a text by its place, or under a key; what is not certain is ``otherwise`` anything of it."""

    def rule(call: Call, args: Sequence[Value], operator: int) -> Value:
        name = take_of_call(call)
        if name is None:
            return otherwise(call, args, operator)
        return otherwise(call, [taken_text(args[0], name), *args[1:]], operator)

    return rule


def parse_variant(call: Call, args: Sequence[Value], operator: int) -> Value:
    """A variant of what a JSON text has."""
    return apply(args[0], replace(_parsing(call, operator), packed=True))


def _parsing(call: Call, operator: int) -> How:
    """A parse by the call; its constant JSON path or key is kept as position."""
    at = tuple(
        a.text.strip("'") for a in call.args[1:] if isinstance(a, Literal) and isinstance(a.value, str)
    )
    return called(call, operator, Manipulation.PARSE, at=at)


def generated(call: Call, args: Sequence[Value], operator: int) -> Value:
    """A value that comes from no argument (a rank, a row number, the time, a random number)."""
    return constant(f"{call.pretty.lower()}()")


def kept(call: Call, args: Sequence[Value], operator: int) -> Value:
    """Elements of the first argument stay as they are; the others only decide which."""
    first, *deciding = args
    return merge((first, *(conditional(d, operator) for d in deciding)))


def kept_by_value(call: Call, args: Sequence[Value], operator: int) -> Value:
    """As ``kept``, where the elements decide which of them stay."""
    return merge((kept(call, args, operator), _by_value(args[0], _element_type(call.args[0]), operator)))


def ordered(call: Call, args: Sequence[Value], operator: int) -> Value:
    """As ``kept``, in the elements' order: the members of a struct decide about each other."""
    elements = kept(call, args, operator)
    if not _has_parts(_element_type(call.args[0])):
        return elements
    return merge((elements, conditional(args[0], operator)))


def without_nulls(call: Call, args: Sequence[Value], operator: int) -> Value:
    """The elements that are not null."""
    if _has_parts(_element_type(call.args[0])):
        return args[0]
    return kept_by_value(call, args, operator)


def _by_value(value: Value, data_type: DataType | None, operator: int) -> Value:
    """Values that decide which of them stay: members of structs about each other, other values about themselves."""
    itself = not _has_parts(data_type)
    return decision(value, Subtype.CONDITIONAL, Access.CONDITION, operator, itself=itself)


def _element_type(array: Expression) -> DataType | None:
    return array.type.element if isinstance(array.type, ArrayType) else None


def _has_parts(data_type: DataType | None) -> bool:
    return data_type is not None and not isinstance(data_type, AtomicType)


def any_of(call: Call, args: Sequence[Value], operator: int) -> Value:
    """Collections put together: an element of the result is one of any argument's."""
    return merge(named_as(a, e.type, call.type, operator) for e, a in zip(call.args, args, strict=True))


def united(call: Call, args: Sequence[Value], operator: int) -> Value:
    """As ``any_of``, each element once: the elements decide which of them stay."""
    element = _element_type(call)
    return merge((any_of(call, args, operator), *(_by_value(a, element, operator) for a in args)))


def with_element(call: Call, args: Sequence[Value], operator: int) -> Value:
    """An array with its second argument as a further element; a third one decides the place."""
    array, *others = args
    item = others[-1] if others else NOTHING
    position = [conditional(p, operator, Access.INDEX) for p in others[:-1]]
    added = construct([(ELEMENT, apply(item, direct(operator, Manipulation.CONSTRUCT)))])
    return merge((array, added, *position))


def concat(call: Call, args: Sequence[Value], operator: int) -> Value:
    """Of arrays: their elements; of strings: text built from them."""
    if isinstance(call.type, ArrayType):
        return any_of(call, args, operator)
    return serialize(call, args, operator)


def reverse(call: Call, args: Sequence[Value], operator: int) -> Value:
    return args[0] if isinstance(call.type, ArrayType) else compute(call, args, operator)


def flatten(call: Call, args: Sequence[Value], operator: int) -> Value:
    outer, inner = args[0], extract(args[0], ELEMENT)
    elements = apply(extract(inner, ELEMENT), direct(operator, Manipulation.FLATTEN))
    return merge((construct([(ELEMENT, elements)]), extent((outer, inner), operator)))


def array_of(*steps: str) -> Rule:
    """A new array of what a map has under the steps: one of them, or entries of key and value."""

    def rule(call: Call, args: Sequence[Value], operator: int) -> Value:
        extracted = [(s, apply(extract(args[0], s), direct(operator, Manipulation.EXTRACT))) for s in steps]
        made = construct([(ELEMENT, extracted[0][1] if len(steps) == 1 else construct(extracted))])
        return merge((made, extent(args[:1], operator)))

    return rule


def map_from_arrays(call: Call, args: Sequence[Value], operator: int) -> Value:
    how = direct(operator, Manipulation.CONSTRUCT)
    keys, values = (apply(extract(a, ELEMENT), how) for a in args[:2])
    return merge((construct([(KEY, keys), (VALUE, values)]), extent(args[:2], operator)))


def map_from_entries(call: Call, args: Sequence[Value], operator: int) -> Value:
    """Entries are structs; their first member is the key, the second the value."""
    names = _member_names(call.args[0])
    how = direct(operator, Manipulation.CONSTRUCT)
    entry = extract(args[0], ELEMENT)
    made = construct(
        (step, apply(extract(entry, n), how)) for step, n in zip((KEY, VALUE), names, strict=False)
    )
    return merge((made, extent(args[:1], operator)))


def _member_names(entries: Expression) -> tuple[str, ...]:
    element = entries.type.element if isinstance(entries.type, ArrayType) else None
    fields = getattr(element, "fields", ())
    return tuple(f.name for f in fields[:2]) or (KEY, VALUE)


def arrays_zip(call: Call, args: Sequence[Value], operator: int) -> Value:
    """An array of structs of one element each; the names are in the result's type."""
    element = call.type.element if isinstance(call.type, ArrayType) else None
    names = [f.name for f in getattr(element, "fields", ())] or [str(i) for i in range(len(args))]
    how = direct(operator, Manipulation.CONSTRUCT)
    members = construct((n, apply(extract(a, ELEMENT), how)) for n, a in zip(names, args, strict=False))
    return merge((construct([(ELEMENT, members)]), extent(args, operator)))


def array_repeat(call: Call, args: Sequence[Value], operator: int) -> Value:
    item, *times = args
    array = construct([(ELEMENT, apply(item, direct(operator, Manipulation.CONSTRUCT)))])
    return merge((array, *(conditional(t, operator) for t in times)))


def pick(call: Call, args: Sequence[Value], operator: int) -> Value:
    """One record's value survives as it is; further arguments decide which."""
    how = direct(operator, Manipulation.PICK, subtype=Subtype.AGGREGATION)
    first, *deciding = args
    return merge((apply(first, how), *(conditional(d, operator) for d in deciding)))


def extreme(call: Call, args: Sequence[Value], operator: int) -> Value:
    """MIN, MAX: one record's value survives, chosen by the value itself. Of a struct, each member has a say."""
    picked = pick(call, args, operator)
    return merge((picked, conditional(args[0], operator))) if _has_parts(call.args[0].type) else picked


def pivot_first(call: Call, args: Sequence[Value], operator: int) -> Value:
    """Pivoted values, in an array of Spark's own making; the pivot column decides where."""
    how = direct(operator, Manipulation.PICK, subtype=Subtype.AGGREGATION)
    pivot, value = args[:2]
    return merge((construct([(ELEMENT, apply(value, how))]), conditional(pivot, operator)))


def neighbour(call: Call, args: Sequence[Value], operator: int) -> Value:
    """LAG, LEAD: another row's value, or the default."""
    how = direct(operator, Manipulation.PICK, subtype=Subtype.TRANSFORMATION)
    return merge(apply(v, how) for v in (args[0], *args[2:3]))


def nest(call: Call, args: Sequence[Value], operator: int) -> Value:
    how = direct(operator, Manipulation.NEST, subtype=Subtype.AGGREGATION)
    return construct([(ELEMENT, apply(args[0], how))])


def nest_by_value(call: Call, args: Sequence[Value], operator: int) -> Value:
    """As ``nest``, each value once, or the greatest only: the values decide which of them stay."""
    return merge((nest(call, args, operator), _by_value(args[0], call.args[0].type, operator)))


def aggregate(call: Call, args: Sequence[Value], operator: int) -> Value:
    """The default of aggregate functions."""
    how = called(call, operator, Manipulation.AGGREGATE, subtype=Subtype.AGGREGATION)
    return apply(collapse(merge(args)), how) if args else unknown(call)


def count(call: Call, args: Sequence[Value], operator: int) -> Value:
    """How many, not which: masking. ``count(*)`` counts a literal and reads no path."""
    how = called(call, operator, Manipulation.COUNT, subtype=Subtype.AGGREGATION)
    counted = apply(collapse(merge(args)), how)
    return counted if counted.edges else constant(f"{call.pretty.lower()}(*)")


def text_list(call: Call, args: Sequence[Value], operator: int) -> Value:
    """Values joined to a text, in an order that further arguments decide."""
    how = called(call, operator, Manipulation.SERIALIZE, subtype=Subtype.AGGREGATION)
    first, *deciding = args
    return merge((apply(collapse(first), how), *(conditional(d, operator) for d in deciding)))


def array_extreme(call: Call, args: Sequence[Value], operator: int) -> Value:
    """The least or greatest element, chosen by all of them."""
    how = direct(operator, Manipulation.EXTRACT, Manipulation.PICK, subtype=Subtype.TRANSFORMATION)
    return merge((apply(extract(args[0], ELEMENT), how), conditional(args[0], operator)))


def failure(call: Call, args: Sequence[Value], operator: int) -> Value:
    """It raises, so no value of it is ever seen; what it says is looked at."""
    return merge((constant(f"{call.pretty.lower()}()"), *(conditional(a, operator) for a in args)))


def measured(call: Call, args: Sequence[Value], operator: int) -> Value:
    """How many elements there are, not which."""
    how = direct(
        operator,
        Manipulation.COUNT,
        subtype=Subtype.TRANSFORMATION,
        masking=True,
        function=name_of(call),
        retains=Retains.FACT,
    )
    return apply(collapse(merge(args)), how)


serialize = transformation(Manipulation.SERIALIZE)
mask = transformation(Manipulation.MASK)


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


def of_few(value: Value) -> Value:
    """The value of a window: its rows may be few, and the next window shows the difference."""
    edges = tuple(e._replace(how=_of_few(e.how)) for e in value.edges)
    members = {step: of_few(member) for step, member in value.members.items()}
    return replace(value, edges=edges, members=members)


def _of_few(how: How) -> How:
    if how.type is LineageType.INDIRECT:
        return replace(how, tells=Retains.FACT) if how.tells is Retains.STATISTIC else how
    counted = Manipulation.COUNT in how.manipulation
    few = how.retains is Retains.STATISTIC and not counted
    return replace(how, retains=Retains.OF_FEW) if few else how


def with_condition(value: Value, condition: Value | None, operator: int) -> Value:
    """The value, decided by a condition."""
    return value if condition is None else merge((value, conditional(condition, operator)))
