"""Catalyst expressions to those of ``headwater_plan``, one small decoder a class; what is in no table is a ``Call``.

A class that Spark replaces by others when it runs never comes here: see ``replaced``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from headwater_plan.nodes import (
    AggregateCall,
    Attribute,
    Call,
    Case,
    Cast,
    Column,
    Construct,
    DeclaredCall,
    Definition,
    Element,
    Expression,
    Form,
    Lambda,
    Literal,
    Member,
    OpaqueCall,
    ReadCall,
    Subquery,
    Update,
    Windowed,
)
from headwater_plan.readings import Reading, Why
from headwater_plan.types import ELEMENT, KEY, UNKNOWN, VALUE, ArrayType, AtomicType, DataType, StructType
from headwater_spark.decode.code.aggregators import reading_of_aggregator, typed_aggregate
from headwater_spark.decode.code.jvm import reading_of_jvm
from headwater_spark.decode.code.python import (
    GROUPED_AGGREGATE,
    OTHER_CODE,
    digest,
    reading,
    reading_of_rows,
)
from headwater_spark.decode.context import (
    Context,
    Decoded,
    Decoder,
    MemberChange,
    WindowSpec,
    arguments,
    call,
    constant,
    literal,
    null,
    text_of,
    type_of,
)
from headwater_spark.decode.document import Node, references
from headwater_spark.decode.ml_stages import HOLD_VALUES, stage_of
from headwater_spark.decode.replaced import common_definition, common_reference, with_common
from headwater_spark.decode.values import (
    CORRUPT_RECORD,
    class_of,
    mapping,
    names_of_whole,
    options_of,
    simple_class,
)

ESCAPED = "like_escape"
"""What a pattern's function is called whose escape character is not known to be the usual one."""

VARIABLE = "VariableReference"
"""What Spark calls a variable of the session, also where it is not followed."""


def attribute(node: Node, context: Context) -> Column:
    return Column(int(node.extras["id"]), str(node.extras.get("n", "")), context.type(node) or UNKNOWN)


def alias(node: Node, context: Context) -> Definition:
    child = context.expression(node.get("child"))
    data_type = context.type(node) or type_of(child) or UNKNOWN
    return Definition(Attribute(int(node.extras["id"]), str(node.extras.get("n", "")), data_type), child)


def inner(field: str) -> Decoder:
    """The node stands for one of its children."""

    def decode(node: Node, context: Context) -> Expression:
        return context.expression(node.get(field))

    return decode


def struct_member(node: Node, context: Context) -> Member:
    child = context.expression(node.get("child"))
    return Member(child, _member_name(node, child), type=context.type(node))


def member_of_each(node: Node, context: Context) -> Member:
    child = context.expression(node.get("child"))
    return Member(child, _member_name(node, child), each=True, type=context.type(node))


def _member_name(node: Node, child: Expression) -> str:
    """The member's name: the document's, else the one the struct's type has at the ordinal."""
    field = mapping(mapping(node.get("field")).get("a"))
    named = node.extras.get("f", field.get("name"))
    if named is not None:
        return str(named)
    struct = child.type.element if isinstance(child.type, ArrayType) else child.type
    ordinal = node.get("ordinal")
    if isinstance(struct, StructType) and isinstance(ordinal, int) and ordinal < len(struct.fields):
        return struct.fields[ordinal].name
    return str(node.get("name") or f"col{ordinal}")


def element(node: Node, context: Context) -> Element:
    child, key = (*arguments(node, context), null())[:2]
    return Element(child, key, context.type(node), first=int(node.name == "ElementAt"))


def named_struct(node: Node, context: Context) -> Construct:
    parts = context.expressions(node.get("children"))
    names = (str(n.value) if isinstance(n, Literal) else f"col{i + 1}" for i, n in enumerate(parts[::2]))
    return Construct(tuple(zip(names, parts[1::2], strict=False)), context.type(node))


def array(node: Node, context: Context) -> Construct:
    return Construct(
        tuple((ELEMENT, e) for e in context.expressions(node.get("children"))), context.type(node)
    )


def map_(node: Node, context: Context) -> Construct:
    parts = context.expressions(node.get("children"))
    return Construct(tuple(((KEY, VALUE)[i % 2], e) for i, e in enumerate(parts)), context.type(node))


def update_fields(node: Node, context: Context) -> Update:
    changes = [c for c in context.nodes(node.get("fieldOps")) if isinstance(c, MemberChange)]
    child = context.expression(node.get("structExpr"))
    return Update(child, tuple((c.name, c.value) for c in changes), context.type(node))


def with_field(node: Node, context: Context) -> MemberChange:
    return MemberChange(str(node.get("name")), context.expression(node.get("valExpr")))


def drop_field(node: Node, context: Context) -> MemberChange:
    return MemberChange(str(node.get("name")), None)


def case_when(node: Node, context: Context) -> Case:
    branches = context.expressions(node.get("branches"))
    otherwise = context.expressions(node.get("elseValue"))
    return Case(branches[::2], branches[1::2] + otherwise, context.type(node), form=Form.WHEN)


def if_(node: Node, context: Context) -> Case:
    predicate, *values = arguments(node, context)
    return Case((predicate,), tuple(values), context.type(node), form=Form.WHEN)


def parses(node: Node, context: Context) -> Call:
    """A member for text that could not be parsed, or for a variant of all of it, has all of the text."""
    named = names_of_whole(options_of(node.get("options")))
    return replace(packs(node, context), whole=(CORRUPT_RECORD, *named))


def packs(node: Node, context: Context) -> Call:
    """What writes a text, or reads it, with options."""
    options = options_of(node.get("options"))
    return replace(call(node, context), options=tuple(sorted(options.items())))


def coalesce(node: Node, context: Context) -> Case:
    """Every value but the last decides, by being null or not, whether a later one is taken."""
    values = context.expressions(node.get("children"))
    return Case(values[:-1], values, context.type(node), nulls=True, form=Form.COALESCE)


def nanvl(node: Node, context: Context) -> Case:
    """The first value unless it is not a number, then the second."""
    values = arguments(node, context)
    return Case(values[:1], values, context.type(node))


def pivot_first(node: Node, context: Context) -> Call:
    """A pivot's column and argument, and the values for which it has columns."""
    by, argument = context.expression(node.get("pivotColumn")), context.expression(node.get("valueColumn"))
    listed = node.get("pivotColumnValues")
    values = (
        constant(each, by.type, text_of(each), context.constants)
        for each in (listed if isinstance(listed, list) else ())
    )
    return call(node, context, (by, argument, *values))


def null_if_result(node: Node, context: Context) -> Case:
    """What NULLIF gives of its comparison: the value, or null where the comparison holds."""
    predicate, value = context.expression(node.get("predicate")), context.expression(node.get("value"))
    return Case((predicate,), (value,), context.type(node))


def typed_null(node: Node, context: Context) -> Literal:
    """Null of the type that another expression has."""
    return Literal(None, context.type(node) or UNKNOWN, "NULL", "NULL")


def greatest(node: Node, context: Context) -> Case:
    values = context.expressions(node.get("children"))
    return Case(values, values, context.type(node))


def cast(node: Node, context: Context) -> Cast:
    to = context.document.type(node.get("dataType")) or context.type(node) or UNKNOWN
    return Cast(context.expression(node.get("child")), to, context.type(node) or to)


def like(node: Node, context: Context) -> Call:
    """A pattern; its name is another where it has another character than the usual one before what is meant as such."""
    usual = node.get("escapeChar") == "\\"
    return call(node, context) if usual else replace(call(node, context), pretty=ESCAPED)


def collated(node: Node, context: Context) -> Expression:
    """A string that is compared by other rules than its own."""
    child = context.expression(node.get("child"))
    return replace(child, type=AtomicType("string", "named by the program"))


def lambda_variable(node: Node, context: Context) -> Column:
    identity = node.extras.get("id")
    if identity is None:
        identity = (node.get("exprId") or {}).get("x", -1)
    data_type = context.document.type(node.get("dataType")) or context.type(node)
    return Column(int(identity), str(node.extras.get("n") or node.get("name") or "x"), data_type)


def lambda_(node: Node, context: Context) -> Lambda:
    parameters = [p for p in context.expressions(node.get("arguments")) if isinstance(p, Column)]
    return Lambda(tuple(parameters), context.expression(node.get("function")))


def aggregate_call(node: Node, context: Context) -> AggregateCall:
    return AggregateCall(
        context.expression(node.get("aggregateFunction")),
        context.optional(node.get("filter")),
        bool(node.get("isDistinct")),
        context.type(node),
    )


def windowed(node: Node, context: Context) -> Windowed:
    specs = [s for s in context.nodes(node.get("windowSpec")) if isinstance(s, WindowSpec)]
    spec = specs[0] if specs else WindowSpec((), ())
    return Windowed(
        context.expression(node.get("windowFunction")), spec.partition, spec.order, context.type(node)
    )


def window_spec(node: Node, context: Context) -> WindowSpec:
    return WindowSpec(
        context.expressions(node.get("partitionSpec")), context.expressions(node.get("orderSpec"))
    )


def subquery(kind: str) -> Decoder:
    """A subquery; those of EXISTS and IN only decide."""

    def decode(node: Node, context: Context) -> Decoded:
        relations = context.relations(node.get("plan"))
        if not relations:
            return call(node, context)
        return Subquery(kind, relations[0], type=context.type(node))

    return decode


def in_subquery(node: Node, context: Context) -> Expression:
    values = context.expressions(node.get("values"))
    queries = [q for q in context.nodes(node.get("query")) if isinstance(q, Subquery)]
    if not queries:
        return call(node, context)
    return Subquery("IN", queries[0].relation, values)


def udf(reason: str, *name_fields: str) -> Decoder:
    """User code: its name and arguments are all that is known, unless somebody has declared what it does."""

    def decode(node: Node, context: Context) -> OpaqueCall | DeclaredCall | ReadCall:
        candidates = [_name_in(node.get(field)) for field in name_fields] or [node.extras.get("fn")]
        name = next((str(c) for c in candidates if c), node.name)
        args = arguments(node, context)
        declaration = context.declared(name)
        found = _READERS[reason](node, context, args) if reason in _READERS else ()
        if declaration is not None and declaration.code and declaration.code != digest(node.get("func")):
            declaration = None
            found = found if isinstance(found, Reading) else (*found, OTHER_CODE)
        read = found if isinstance(found, Reading) else None
        if declaration is not None:
            return DeclaredCall(declaration, reason, args, context.type(node), read)
        if read is not None:
            return ReadCall(read, name, reason, args, context.type(node))
        why = found if isinstance(found, tuple) else ()
        return OpaqueCall(name, reason, args, context.type(node), why)

    return decode


def _reading(node: Node, context: Context, args: tuple[Expression, ...]) -> Reading | tuple[Why, ...]:
    """What was read of a function of Python, unless its arguments are given by name; or else why it was not."""
    children = [context.document.nodes[i] for i in references(node.get("children"))]
    if any(child.name == "NamedArgumentExpression" for child in children) or len(children) != len(args):
        return (_BY_NAME,)
    if node.name == "PythonUDTF":
        row = mapping(node.get("elementSchema")).get("T")
        rows = context.document.types[row] if isinstance(row, int) else None
        return reading_of_rows(node.get("func"), node.get("evalType"), _types(args), rows)
    # Before Spark 4 an aggregate can be of pandas only.
    sort = node.get("evalType")
    evaluation = GROUPED_AGGREGATE if sort is None and node.name == "PythonUDAF" else sort
    return reading(node.get("func"), evaluation, _types(args), _stated_type(node, context))


def _types(args: Iterable[Expression]) -> list[DataType]:
    """The types of arguments. Documents leave out those that have no parts."""
    return [type_of(each) or UNKNOWN for each in args]


def _stated_type(node: Node, context: Context) -> DataType | None:
    """The type of the result that the function was registered with."""
    stated = mapping(node.get("dataType")).get("T")
    return context.document.types[stated] if isinstance(stated, int) else context.type(node)


def _reading_of_jvm(node: Node, context: Context, args: tuple[Expression, ...]) -> Reading | tuple[Why, ...]:
    """What was read of a function in Java or Scala, or else why it was not."""
    return reading_of_jvm(node.get("function"), _types(args), _stated_type(node, context))


def _reading_of_aggregator(
    node: Node, context: Context, args: tuple[Expression, ...]
) -> Reading | tuple[Why, ...]:
    """What was read of an aggregator in Java or Scala, or else why it was not."""
    return reading_of_aggregator(node.get("agg"), _types(args), context.type(node) or UNKNOWN)


_READERS = {
    **dict.fromkeys(("PYTHON_UDF", "PYTHON_UDAF", "PYTHON_UDTF"), _reading),
    "SCALA_UDF": _reading_of_jvm,
    "SCALA_UDAF": _reading_of_aggregator,
}
_BY_NAME = Why("ARGUMENTS", "its arguments are given by name", "give them by position")
_scala_udf = udf("SCALA_UDF", "udfName")


def scala_udf(node: Node, context: Context) -> Expression:
    """A user function in Scala or Java; those of Spark's own stages of machine learning are known."""
    stage = stage_of(class_of(node.get("function")))
    if stage is None:
        return _scala_udf(node, context)  # type: ignore[no-any-return]
    held = (constant(stage, AtomicType("string"), stage, context.constants),) if stage in HOLD_VALUES else ()
    args = (*arguments(node, context), *held)
    return Call(f"ml.{stage}", args, context.type(node), pretty=stage)


def _name_in(value: Any) -> str | None:
    """A name, or that of the class of an object."""
    return value if isinstance(value, str) else simple_class(value) or None


def bound_function(field: str) -> Decoder:
    """A function of a catalog: a call by the name that the catalog has for it."""

    def decode(node: Node, context: Context) -> Call:
        name = mapping(node.get(field)).get("name")
        return replace(call(node, context), pretty=str(name)) if name else call(node, context)

    return decode


def session_variable(node: Node, context: Context) -> Expression:
    """A variable of the session: what it was last set to, else a constant whose value the plan does not show."""
    parts = node.get("originalNameParts")
    names = [str(part) for part in parts] if isinstance(parts, list) else ["variable"]
    relation = context.value_of_variable(names[-1].lower())
    if relation is not None:
        return Subquery("SCALAR", relation, type=context.type(node))
    name = ".".join(names)
    return Literal(None, context.type(node), name, name)


def any_expression(node: Node, context: Context) -> Decoded:
    """The default: a call of the function that the class stands for."""
    return call(node, context)


EXPRESSIONS: Mapping[str, Decoder] = {
    "Alias": alias,
    "AttributeReference": attribute,
    "OuterReference": inner("e"),
    "SortOrder": inner("child"),
    "Literal": literal,
    "Like": like,
    # structure
    "GetStructField": struct_member,
    "GetArrayStructFields": member_of_each,
    "GetArrayItem": element,
    "GetMapValue": element,
    "ElementAt": element,
    "JsonToStructs": parses,
    "CsvToStructs": parses,
    "XmlToStructs": parses,
    "StructsToCsv": packs,
    "StructsToJson": packs,
    "StructsToXml": packs,
    "Get": element,
    "CreateNamedStruct": named_struct,
    "CreateArray": array,
    "CreateMap": map_,
    "UpdateFields": update_fields,
    "WithField": with_field,
    "DropField": drop_field,
    # choices
    "CaseWhen": case_when,
    "If": if_,
    "Coalesce": coalesce,
    "NaNvl": nanvl,
    "NullIfResult": null_if_result,
    "TypedNullLiteral": typed_null,
    "Greatest": greatest,
    "Least": greatest,
    # types
    "Cast": cast,
    "AnsiCast": cast,
    "TryCast": cast,
    "UpCast": cast,
    "PromotePrecision": inner("child"),
    "KnownNotNull": inner("child"),
    "KnownNullable": inner("child"),
    "KnownFloatingPointNormalized": inner("child"),
    "TempResolvedColumn": inner("child"),
    "NamedArgumentExpression": inner("value"),
    "AssertNotNull": inner("child"),
    # lambdas, aggregates, windows, subqueries
    "NamedLambdaVariable": lambda_variable,
    "LambdaFunction": lambda_,
    "AggregateExpression": aggregate_call,
    "PivotFirst": pivot_first,
    "WindowExpression": windowed,
    "WindowSpecDefinition": window_spec,
    "ScalarSubquery": subquery("SCALAR"),
    "LateralSubquery": subquery("LATERAL"),
    "ListQuery": subquery("IN"),
    "Exists": subquery("EXISTS"),
    "InSubquery": in_subquery,
    "ApplyFunctionExpression": bound_function("function"),
    "V2Aggregator": bound_function("aggrFunc"),
    # code that cannot be looked into
    "PythonUDF": udf("PYTHON_UDF", "name"),
    "PythonUDAF": udf("PYTHON_UDAF", "name"),
    "PythonUDTF": udf("PYTHON_UDTF", "name"),
    "ScalaUDF": scala_udf,
    "ScalaUDAF": udf("SCALA_UDAF", "udafName"),
    "ScalaAggregator": udf("SCALA_UDAF", "aggregatorName", "agg"),
    "SimpleTypedAggregateExpression": typed_aggregate,
    "ComplexTypedAggregateExpression": typed_aggregate,
    "HiveSimpleUDF": udf("HIVE_UDF", "name"),
    "HiveGenericUDF": udf("HIVE_UDF", "name"),
    "HiveUDAFFunction": udf("HIVE_UDAF", "name"),
    "HiveGenericUDTF": udf("HIVE_UDTF", "name"),
    "UserDefinedGenerator": udf("SCALA_UDTF"),
    "CallMethodViaReflection": udf("REFLECTION"),
}
"""Decoders of Spark 3.5."""


EXPRESSIONS_SINCE_40: Mapping[str, Decoder] = {
    "TryReflect": udf("REFLECTION"),
    "With": with_common,
    "CommonExpressionDef": common_definition,
    "CommonExpressionRef": common_reference,
    "Collate": collated,
    "KnownNotContainsNull": inner("child"),
    "OuterScopeReference": inner("child"),
    "SQLScalarFunction": inner("child"),
    VARIABLE: session_variable,
}
"""What Spark 4.0 adds."""

EXPRESSIONS_SINCE_42: Mapping[str, Decoder] = {
    "TranspiledPythonUDF": udf("PYTHON_UDF", "name"),
    "ExternalUserDefinedFunction": udf("EXTERNAL_UDF", "name"),
}
"""What Spark 4.2 adds."""
