"""Catalyst operators to those of ``headwater_plan``, one small decoder a class.

Operators that neither change nor choose values (aliases, hints, repartitioning, watermarks, caches) decode to
their child. What is in no table is opaque when it is known to run user code, else unknown, with a problem entry.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from headwater_plan.nodes import (
    Aggregate,
    Attribute,
    Call,
    Column,
    DeclaredCall,
    Definition,
    Distinct,
    Expand,
    Expression,
    Filter,
    Generate,
    Join,
    Limit,
    Local,
    OpaqueCall,
    OpaqueRelation,
    Previous,
    Project,
    ReadCall,
    Recursion,
    Relation,
    Rename,
    SetOperation,
    Sort,
    Subquery,
    Union,
    UnknownRelation,
    Window,
    Write,
)
from headwater_plan.types import UNKNOWN
from headwater_spark.decode.code.frames import SORTS, frame_call
from headwater_spark.decode.code.typed import map_elements, typed_filter, user_class
from headwater_spark.decode.context import Context, Decoded, Decoder, Plan, is_relation
from headwater_spark.decode.document import Node, references
from headwater_spark.decode.leaves import leaf
from headwater_spark.decode.sources import SOURCES
from headwater_spark.decode.values import mapping


def child_of(node: Node, context: Context, field: str = "child") -> Relation:
    relations = context.relations(node.get(field))
    if relations:
        return relations[0]
    for write in context.nodes(node.get(field)) if context.is_step else ():
        if isinstance(write, Write):  # a step of a micro-batch reads what the batch is about to write
            return write.child
    context.problem("UNKNOWN_RELATION", f"{node.name} has no {field} that could be read")
    return Local((), node.name)


def passes(field: str = "child") -> Decoder:
    """The operator gives its child's rows and columns."""

    def decode(node: Node, context: Context) -> Relation:
        return child_of(node, context, field)

    return decode


def over_child(decode: Callable[[Node, Context, Relation], Relation]) -> Decoder:
    """An operator that is decoded with what it stands over."""
    return lambda node, context: decode(node, context, child_of(node, context))


DESCRIBING = ("Describe", "Explain", "List", "Set", "Show", "StreamingExplain")
"""How the names of commands begin whose rows describe the catalog or the session, …"""

_IN_ORDER = frozenset(
    {
        "Project",
        "Filter",
        "Generate",
        "Sample",
        "GlobalLimit",
        "LocalLimit",
        "Offset",
        "Tail",
        "SubqueryAlias",
        "View",
    }
    | {"ResolvedHint", "CollectMetrics", "EventTimeWatermark"}
)
"""Operators that give their child's rows in the order in which they come."""

OF_DATA = ("DescribeColumn", "SetVariable", "ShowPartitions", "ShowTablePartition", "ShowTableExtended")
"""… and of those among them whose rows hold values of data."""


def rows_of_a_command(node: Node, context: Context) -> Relation:
    """What a command (SHOW TABLES …) gave: values of the driver, if they describe; any other's may be anything."""
    outputs = context.outputs(node) or context.attributes(node.get("output"))
    command = next((context.document.nodes[i].name for i in references(node.get("commandLogicalPlan"))), "")
    if command.startswith(DESCRIBING) and not command.startswith(OF_DATA):
        return Local(outputs, node.name)
    context.problem("UNKNOWN_RELATION", f"the rows that {command or node.name} gave")
    return UnknownRelation(outputs, (), command or node.name)


def set_variable(node: Node, context: Context) -> Relation:
    """``SET VAR``: a query that only reads, for the variables that later plans take from it."""
    targets = (context.document.nodes[i] for i in references(node.get("targetVariables")))
    names = (target.get("originalNameParts") or ["variable"] for target in targets)
    context.assigned = tuple(str(parts[-1]).lower() for parts in names)
    return child_of(node, context, "sourceQuery")


def create_variable(node: Node, context: Context) -> Relation:
    """``DECLARE``: what the variable is made of, where its default takes another one."""
    nodes = context.document.nodes
    if not any(each.name == "VariableReference" for each in nodes):
        return Local((), node.name)
    targets = [nodes[i] for i in references([node.get("names"), node.get("name")])]
    names = [str(mapping(each.get("identifier")).get("name") or "variable").lower() for each in targets]
    default = nodes[next(references(node.get("defaultExpr")))]
    value = context.expression(default.get("child"))
    definitions = tuple(Definition(Attribute(next(context.own_ids), name, UNKNOWN), value) for name in names)
    context.assigned = tuple(names)
    return Project(tuple(each.attribute for each in definitions), Local((), node.name), definitions)


def project(node: Node, context: Context) -> Project:
    definitions = context.definitions(node.get("projectList"))
    return Project(tuple(d.attribute for d in definitions), child_of(node, context), definitions)


def filter_(node: Node, context: Context) -> Filter:
    child = child_of(node, context)
    return Filter(child.outputs, child, context.expression(node.get("condition")))


def join(node: Node, context: Context) -> Relation:
    left, right = child_of(node, context, "left"), _right(node, context)
    kind, exists = _join_type(node)
    condition = context.optional(node.get("condition"))
    if exists is not None:
        mark = context.attributes(exists)
        return Join((*left.outputs, *mark), left, right, "Existence", condition)
    if kind in ("LeftSemi", "LeftAnti"):
        return Join(left.outputs, left, right, kind, condition)
    return Join((*left.outputs, *right.outputs), left, right, kind, condition)


def _right(node: Node, context: Context) -> Relation:
    """The right side, a lateral subquery's plan included."""
    for decoded in context.nodes(node.get("right")):
        if isinstance(decoded, Subquery):
            return decoded.relation
        if isinstance(decoded, Plan):
            return decoded.relation
    return child_of(node, context, "right")


def _join_type(node: Node) -> tuple[str, object]:
    """The join type's name and, for an existence join, the attribute that holds whether a row matched."""
    value = node.get("joinType")
    if isinstance(value, Mapping):
        name = str(value.get("e") or value.get("p") or "Inner")
        content = value.get("a")
        if name == "ExistenceJoin" and isinstance(content, Mapping):
            return name, content.get("exists")
        return name, None
    return "Inner", None


def as_of_join(node: Node, context: Context) -> Relation:
    left, right = child_of(node, context, "left"), child_of(node, context, "right")
    parts = context.expressions(
        [node.get("condition"), node.get("asOfCondition"), node.get("orderExpression")]
    )
    condition = Call("and", parts) if len(parts) > 1 else next(iter(parts), None)
    return Join((*left.outputs, *right.outputs), left, right, "AsOf", condition)


def union(node: Node, context: Context) -> Union:
    inputs = context.relations(node.get("children"))
    first = inputs[0].outputs if inputs else ()
    return Union(context.outputs(node) or first, inputs)


def set_operation(node: Node, context: Context) -> SetOperation:
    left = child_of(node, context, "left")
    return SetOperation(left.outputs, left, child_of(node, context, "right"), node.name)


def aggregate(node: Node, context: Context) -> Aggregate:
    definitions = context.definitions(node.get("aggregateExpressions"))
    keys = context.expressions(node.get("groupingExpressions"))
    return Aggregate(tuple(d.attribute for d in definitions), child_of(node, context), keys, definitions)


def observation(node: Node, context: Context) -> Relation:
    """The child's rows; the program is given figures of them besides."""
    child = child_of(node, context)
    figures = context.definitions(node.get("metrics"))
    context.observed += (Aggregate(tuple(d.attribute for d in figures), child, (), figures),)
    return child


def generate(node: Node, context: Context) -> Generate:
    child = child_of(node, context)
    generated = context.attributes(node.get("generatorOutput"))
    unrequired = node.get("unrequiredChildIndex") or []
    kept = tuple(a for i, a in enumerate(child.outputs) if i not in unrequired)
    return Generate((*kept, *generated), child, context.expression(node.get("generator")), generated)


def window(node: Node, context: Context) -> Window:
    child = child_of(node, context)
    definitions = context.definitions(node.get("windowExpressions"))
    return Window((*child.outputs, *(d.attribute for d in definitions)), child, definitions)


def expand(node: Node, context: Context) -> Expand:
    projections = tuple(context.expressions(p) for p in node.get("projections") or [])
    return Expand(context.attributes(node.get("output")), child_of(node, context), projections)


def sort(node: Node, context: Context) -> Sort:
    child = child_of(node, context)
    return Sort(child.outputs, child, context.expressions(node.get("order")))


def distinct(node: Node, context: Context) -> Distinct:
    child = child_of(node, context)
    keys = context.expressions(node.get("keys"))
    return Distinct(child.outputs, child, keys or tuple(Column(a.id, a.name, a.type) for a in child.outputs))


def limit(node: Node, context: Context) -> Limit:
    child = child_of(node, context)
    return Limit(child.outputs, child, node.name, _spread_by(node, context))


def _spread_by(node: Node, context: Context) -> tuple[Expression, ...]:
    """What the rows below are partitioned by, if they come in the order of their partitions."""
    below: Node | None = node
    while below is not None and (below is node or below.name in _IN_ORDER):
        below = next((context.document.nodes[i] for i in references(below.get("child"))), None)
        if below is not None and below.name in ("RepartitionByExpression", "RebalancePartitions"):
            return context.expressions(below.get("partitionExpressions"))
    return ()


def with_cte(node: Node, context: Context) -> Decoded:
    """The plan beside its CTEs; it may be a command that writes."""
    plans = [d for d in context.nodes(node.get("plan")) if is_relation(d) or isinstance(d, Write)]
    return plans[0] if plans else child_of(node, context, "plan")


def cte_reference(node: Node, context: Context) -> Relation:
    """A CTE's columns under the reference's own expression ids."""
    outputs = context.outputs(node) or ()
    definition = context.ctes.get(node.get("cteId"))
    if definition is None or len(definition.outputs) != len(outputs):
        context.problem("UNKNOWN_RELATION", f"CTE {node.get('cteId')} has no definition in the plan")
        return UnknownRelation(outputs, (), node.name)
    return Rename(outputs, definition)


def cte_definition(node: Node, context: Context) -> Relation:
    child = child_of(node, context)
    context.ctes[node.get("id")] = child
    return child


def recursion(node: Node, context: Context) -> Relation:
    """A recursive CTE's rounds: the anchor's rows, then those that each step makes of the round before."""
    anchor, step = child_of(node, context, "anchor"), child_of(node, context, "recursion")
    outputs = context.outputs(node) or anchor.outputs
    previous = context.previous.get(node.get("id"))
    return Union(outputs, (anchor, step)) if previous is None else Recursion(outputs, anchor, step, previous)


def previous(node: Node, context: Context) -> Relation:
    """The round before, inside the step of a recursive CTE; all mentions of it are one relation."""
    found = context.previous.get(node.get("loopId"))
    outputs = context.outputs(node) or ()
    if found is None:
        found = context.previous[node.get("loopId")] = Previous(outputs)
    return found if found.outputs == outputs else Rename(outputs, found)


def with_sequence(node: Node, context: Context) -> Relation:
    """The input's columns after a running number."""
    child = child_of(node, context)
    number = [
        Definition(a, Call("distributed_sequence_id", (), pretty="distributed_sequence_id"))
        for a in context.attributes(node.get("sequenceAttr"))
    ]
    passing = [Definition(a, Column(a.id, a.name, a.type)) for a in child.outputs]
    definitions = (*number, *passing)
    return Project(tuple(d.attribute for d in definitions), child, definitions)


def opaque(reason: str, *, row_by_row: bool = False) -> Decoder:
    """An operator that hands rows to user code, which is called by its own name where it has one."""

    def decode(node: Node, context: Context) -> Relation:
        inputs = context.relations(list(node.fields.values()))
        outputs = context.outputs(node)
        if outputs is None:
            outputs = context.attributes(node.get("output")) or (inputs[0].outputs if inputs else ())
        name, function = _function(node, context)
        keys = _keys(node, inputs, context)
        if isinstance(function, OpaqueCall | DeclaredCall) and inputs:
            function = _read(function, node, inputs, keys, context)
        return OpaqueRelation(
            outputs,
            inputs,
            name or node.name,
            reason,
            f"{node.name}({name})" if name else node.name,
            row_by_row,
            keys,
            function,
        )

    return decode


def conversion(node: Node, context: Context) -> OpaqueRelation:
    """Rows to objects or back, around user code that is an operator of its own."""
    child = child_of(node, context)
    return OpaqueRelation(context.outputs(node) or (), (child,), "", "", node.name, row_by_row=True)


def _function(node: Node, context: Context) -> tuple[str | None, OpaqueCall | DeclaredCall | ReadCall | None]:
    """The name of the function that an operator runs, and what is known of it."""
    function = context.optional(node.get("functionExpr"))
    if isinstance(function, DeclaredCall):
        return function.declaration.name, function
    if isinstance(function, OpaqueCall | ReadCall):
        return function.name, function
    stated = node.get("func")
    return user_class(stated.get("o")) if isinstance(stated, Mapping) else None, None


def _read(
    function: OpaqueCall | DeclaredCall,
    node: Node,
    inputs: Sequence[Relation],
    keys: Sequence[Expression],
    context: Context,
) -> OpaqueCall | DeclaredCall | ReadCall:
    """The function with what was read of its code, if it is one over frames."""
    stated = [context.document.nodes[i] for i in references(node.get("functionExpr"))]
    if len(stated) != 1 or stated[0].get("evalType") not in SORTS:
        return function
    kind = mapping(stated[0].get("dataType")).get("T")
    result = context.document.types[kind] if isinstance(kind, int) else None
    ids = {a.id for a in inputs[0].outputs}
    of_left = [isinstance(c, Column) and c.id in ids for c in function.args]
    left = of_left.index(False) if False in of_left else len(of_left)
    if any(of_left[left:]) or len(list(references(stated[0].get("children")))) != len(function.args):
        return function
    half = len(keys) // 2 if len(inputs) > 1 else len(keys)
    sides = [keys[:half], keys[half:]] if len(inputs) > 1 else [keys]
    return frame_call(function, stated[0], result, sides, left)


def _keys(node: Node, inputs: Sequence[Relation], context: Context) -> tuple[Expression, ...]:
    """What an operator groups its rows by: stated, or the first so many columns of each side."""
    counts = [node.get("leftGroupingLen"), node.get("rightGroupingLen")]
    if all(isinstance(count, int) for count in counts):
        sides = zip(inputs, counts, strict=False)
        return tuple(Column(a.id, a.name, a.type) for side, n in sides for a in side.outputs[:n])
    stated = (node.get("groupingAttributes"), node.get("leftGroup"), node.get("rightGroup"))
    return tuple(key for field in stated for key in context.expressions(field))


def any_relation(node: Node, context: Context) -> Decoded:
    """The default: columns that pass are traced, new ones come from any input, and the gap is reported."""
    inputs = context.relations(list(node.fields.values()))
    outputs = context.outputs(node)
    if not inputs:
        return leaf(node, context)
    context.problem("UNKNOWN_RELATION", node.name)
    return UnknownRelation(inputs[0].outputs if outputs is None else outputs, inputs, node.name)


def name_of_a_table(node: Node, context: Context) -> Local:
    """The name of a table that a command is about; with columns where it is created, and nothing is read."""
    return Local(context.outputs(node) or (), node.name)


RELATIONS: Mapping[str, Decoder] = {
    # leaves
    **dict.fromkeys(SOURCES, leaf),
    "ResolvedIdentifier": name_of_a_table,
    "CommandResult": rows_of_a_command,
    # one input
    "Project": project,
    "Filter": filter_,
    "Aggregate": aggregate,
    "Generate": generate,
    "Window": window,
    "Expand": expand,
    "Sort": sort,
    "Distinct": distinct,
    "Deduplicate": distinct,
    "DeduplicateWithinWatermark": distinct,
    "GlobalLimit": limit,
    "LocalLimit": limit,
    "Offset": limit,
    "Tail": limit,
    "Sample": limit,
    "AttachDistributedSequence": with_sequence,
    # several inputs
    "Join": join,
    "LateralJoin": join,
    "AsOfJoin": as_of_join,
    "Union": union,
    "Intersect": set_operation,
    "Except": set_operation,
    "WithCTE": with_cte,
    "CTERelationDef": cte_definition,
    "CTERelationRef": cte_reference,
    # neither change nor choose values
    "SubqueryAlias": passes(),
    "View": passes(),
    "ResolvedMetricView": passes(),
    "Repartition": passes(),
    "RepartitionByExpression": passes(),
    "RebalancePartitions": passes(),
    "ResolvedHint": passes(),
    "EventTimeWatermark": passes(),
    "UpdateEventTimeWatermarkColumn": passes(),
    "CollectMetrics": observation,
    "ReturnAnswer": passes(),
    "Subquery": passes(),
    "WithWindowDefinition": passes(),
    # user code over whole rows
    "MapInPandas": opaque("PYTHON_UDF"),
    "PythonMapInArrow": opaque("PYTHON_UDF"),
    "MapInArrow": opaque("PYTHON_UDF"),
    "FlatMapGroupsInPandas": opaque("PYTHON_UDF"),
    "FlatMapGroupsInArrow": opaque("PYTHON_UDF"),
    "FlatMapCoGroupsInPandas": opaque("PYTHON_UDF"),
    "FlatMapCoGroupsInArrow": opaque("PYTHON_UDF"),
    "FlatMapGroupsInPandasWithState": opaque("PYTHON_UDF"),
    "TransformWithStateInPySpark": opaque("PYTHON_UDF"),
    "TransformWithState": opaque("TYPED_OPERATION"),
    "FlatMapGroupsWithState": opaque("TYPED_OPERATION"),
    "DeserializeToObject": conversion,
    "SerializeFromObject": conversion,
    "MapPartitions": opaque("TYPED_OPERATION"),
    "MapPartitionsInR": opaque("R_UDF"),
    "MapPartitionsInRWithArrow": opaque("R_UDF"),
    "FlatMapGroupsInRWithArrow": opaque("R_UDF"),
    "FlatMapGroupsInR": opaque("R_UDF"),
    "MapElements": over_child(map_elements),
    "TypedFilter": over_child(typed_filter),
    "AppendColumns": opaque("TYPED_OPERATION", row_by_row=True),
    "AppendColumnsWithObject": opaque("TYPED_OPERATION", row_by_row=True),
    "MapGroups": opaque("TYPED_OPERATION"),
    "CoGroup": opaque("TYPED_OPERATION"),
    "ScriptTransformation": opaque("SCRIPT"),
}
"""Decoders of Spark 3.5."""

RELATIONS_SINCE_40: Mapping[str, Decoder] = {
    "EmptyRelation": leaf,
    "SetVariable": set_variable,
    "CreateVariable": create_variable,
    "UnionLoop": recursion,
    "UnionLoopRef": previous,
    "LimitAll": passes(),
    "PipeOperator": passes(),
    "SQLFunctionNode": passes(),
}
"""What Spark 4.0 adds."""

RELATIONS_SINCE_42: Mapping[str, Decoder] = {
    "SequentialStreamingUnion": union,
    "MapPartitionsExternalUDF": opaque("EXTERNAL_UDF"),
}
"""What Spark 4.2 adds."""
