"""From an expression to the value it defines, over the columns of its operator's inputs.

One rule a variant of ``headwater_plan``'s expressions. Results are kept per node, so that a part that an expression
shares is traced once; parameters of lambdas are bound while their body is traced. Expressions nest by recursion: Spark
itself limits their depth by its own stack; a plan's operators, which may be thousands deep, are not walked here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, zip_longest
from typing import Final

from typing_extensions import assert_never

from headwater_facets.kinds import Access, Manipulation, Retains, Subtype
from headwater_plan.functions import RANKS
from headwater_plan.nodes import (
    INFLUENCES,
    AggregateCall,
    Attribute,
    Call,
    Case,
    Cast,
    Column,
    Construct,
    DeclaredCall,
    Element,
    Expression,
    Lambda,
    Literal,
    Member,
    OpaqueCall,
    ReadCall,
    Subquery,
    Update,
    Windowed,
)
from headwater_plan.types import (
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
from headwater_spark.tracing.collected import NOTHING_HELD, MayHold
from headwater_spark.tracing.values import lambdas
from headwater_spark.tracing.values.column_names import rows_beside
from headwater_spark.tracing.values.declared_functions import declared_value, read_value
from headwater_spark.tracing.values.driver import (
    as_arguments,
    constant_of_program,
    names_of_program,
    of_code,
)
from headwater_spark.tracing.values.functions import aggregated_value_of, value_of
from headwater_spark.tracing.values.functions.aggregates import of_few, with_condition
from headwater_spark.tracing.values.functions.steps import called, conditional, direct, extent, named_as
from headwater_spark.tracing.values.packed.members import kind_of, may_hold, unpacked
from headwater_spark.tracing.values.packed.texts import (
    TEXTS,
    packed_text,
    struct_as_text,
    take_of_element,
    taken_text,
)
from headwater_spark.tracing.values.readback import compared
from headwater_spark.tracing.values.value import (
    NOTHING,
    How,
    Origin,
    Value,
    apply,
    apply_to_parts,
    collapse,
    column,
    constant,
    construct,
    decision,
    extract,
    merge,
    untraced,
)
from headwater_spark.tracing.written_names import in_options, names_in

_WRITE_NAMES: Final = frozenset(
    {"to_avro", "to_json", "to_protobuf", "to_variant_object", "to_xml", "typeof"}
)
"""Functions in whose result the names of members stand."""
_PARSE: Final = frozenset({"from_csv", "from_json", "from_xml"})
Scope = Mapping[int, Origin]
"""Which operator's column an expression id means."""


@dataclass(slots=True)
class Tracer:
    """Traces the expressions of one operator.

    ``scope`` names the inputs' columns; ``outer`` finds a column of an enclosing query; ``subquery`` gives the id
    and the output columns of an already traced subquery. ``program``: what the program holds of data, and so whether
    its constants are possible origins. ``file_name`` gives what ``input_file_name()`` is.
    """

    operator: int
    scope: Scope
    outer: Callable[[int], Origin | None]
    subquery: Callable[[Subquery], tuple[int, tuple[Attribute, ...]]]
    program: MayHold = NOTHING_HELD
    file_name: Callable[[], Value] = lambda: NOTHING
    in_name: Callable[[Literal, Sequence[Expression]], Value] = lambda _name, _row: NOTHING
    bound: dict[int, Value] = field(default_factory=dict)
    cases: list[Case] = field(default_factory=list)
    _known: dict[int, Value] = field(default_factory=dict)
    _rows: dict[int, Sequence[Expression]] = field(default_factory=dict)

    def unpivot(self, rows: Iterable[Sequence[Expression]]) -> None:
        """Constants in these rows may be names of the columns beside them. To be called before they are traced."""
        self._rows.update((id(e), row) for row in rows for e in row if isinstance(e, Literal))

    def trace(self, expression: Expression) -> Value:
        """The value of the expression. Never fails: what nobody defines is ``missing`` in the value."""
        known = self._known.get(id(expression))
        if known is None:
            known = self._trace(expression)
            if not self.bound:
                self._known[id(expression)] = known
        return known

    def _trace(self, e: Expression) -> Value:  # noqa: PLR0911, PLR0912 - one arm a variant
        match e:
            case Column():
                return self._column(e)
            case Literal():
                return self._constant(e)
            case Member():
                return self._member(e)
            case Element():
                return self._element(e)
            case Construct():
                how = direct(self.operator, Manipulation.CONSTRUCT)
                if not e.parts:
                    return constant("an empty collection")
                self.unpivot(rows_beside(e))
                types = dict(children(e.type)) if e.type is not None else {}
                parts = [(step, self._as(types.get(step), part)) for step, part in e.parts]
                return construct((step, apply(part, how)) for step, part in parts)
            case Update():
                return self._update(e)
            case Case():
                self.cases.append(e)
                access = Access.NULL_TEST if e.nulls else Access.CONDITION
                decisions = [conditional(self.trace(p), self.operator, access) for p in e.predicates]
                return merge((*(self._as(e.type, value) for value in e.values), *decisions))
            case Cast():
                return self._cast(self.trace(e.child), kind_of(e.child), e.to)
            case Call(function="input_file_name"):
                named = self.file_name()
                return value_of(e, (), self.operator) if named is NOTHING else named
            case Call():
                if any(isinstance(a, Lambda) for a in e.args):
                    return lambdas.value_of(e, self)
                text = self._text(e)
                if text is None:
                    text = value_of(e, self._arguments(e, e.args), self.operator)
                return merge((text, self._in_names(e)))
            case Lambda():
                return self.trace(e.body)
            case AggregateCall():
                return self._aggregate(e.call, e.filter)
            case Windowed():
                return self._windowed(e)
            case Subquery():
                return self._subquery(e)
            case OpaqueCall():
                return self._opaque(e)
            case DeclaredCall():
                return declared_value(e.declaration, [self.trace(a) for a in e.args], self.operator)
            case ReadCall():
                return self._read(e)
            case _:
                assert_never(e)

    def body(self, function: Lambda, *arguments: Value) -> Value:
        """The lambda's result when its parameters are the given values (an index that is not given: none)."""
        before = self.bound
        given = zip_longest(function.parameters, arguments[: len(function.parameters)], fillvalue=NOTHING)
        self.bound = {
            **before,
            **{p.id: a for p, a in given if isinstance(p, Column) and isinstance(a, Value)},
        }
        try:
            return self._trace(function.body)
        finally:
            self.bound = before

    def _as(self, data_type: DataType | None, e: Expression) -> Value:
        """The expression's value, its members under the names that they have in the type."""
        return named_as(self.trace(e), e.type, data_type, self.operator)

    def _constant(self, e: Literal) -> Value:
        value = constant_of_program(e, self.operator, self.program)
        if not isinstance(e.value, str):
            return value
        return merge((value, self.in_name(e, self._rows.get(id(e), ()))))

    def _text(self, e: Call) -> Value | None:
        """Constants and parts as one text, where that tells them apart."""
        if self.program.collected or e.function not in TEXTS:
            return None
        return packed_text(e, self.trace, called(e, self.operator, Manipulation.SERIALIZE), self.operator)

    def _in_names(self, e: Call) -> Value:
        """What a function writes of the names of members, and of its options."""
        written = e.args if e.function in _WRITE_NAMES else ()
        names = chain.from_iterable(names_in(kind_of(each)) for each in written)
        given = in_options(e.options, read=e.function in _PARSE)
        return names_of_program(chain(names, given), self.operator, self.program)

    def _arguments(self, call: Call, given: Sequence[Expression]) -> list[Value]:
        values = [self.trace(a) for a in given]
        return as_arguments(call, values) if self.program.in_constants else values

    def _column(self, e: Column) -> Value:
        if e.id in self.bound:
            return self.bound[e.id]
        origin = self.scope.get(e.id) or self.outer(e.id)
        if origin is None:
            return untraced(f"column {e.name}#{e.id} is not defined in the plan")
        return column(origin)

    def _member(self, e: Member) -> Value:
        how = direct(self.operator, Manipulation.EXTRACT)
        child = self.trace(e.child)
        if not e.each:
            return apply(extract(child, e.name), how)
        members = construct([(ELEMENT, apply(extract(extract(child, ELEMENT), e.name), how))])
        return merge((members, extent([child], self.operator)))

    def _element(self, e: Element) -> Value:
        """An element by position, or a map's value by key: then the map's keys decide which value is found."""
        if (name := take_of_element(e)) is not None and isinstance(e.child, Call):
            text, *others = self._arguments(e.child, e.child.args)
            child = value_of(e.child, (taken_text(text, name), *others), self.operator)
        else:
            child = self.trace(e.child)
        is_map = isinstance(e.child.type, MapType)
        constant_key = isinstance(e.key, Literal)
        at = (e.key.text.strip("'"),) if isinstance(e.key, Literal) and not _is_pivoted(e.child) else ()
        part = Retains.PART if _is_split(e.child) else None
        how = direct(self.operator, Manipulation.EXTRACT, at=at, retains=part)
        found = apply(extract(child, VALUE if is_map else ELEMENT), how)
        deciding_parts = [extract(child, KEY)] if is_map else []
        if not constant_key:
            deciding_parts.append(self.trace(e.key))
        return merge((found, *(conditional(part, self.operator, Access.INDEX) for part in deciding_parts)))

    def _update(self, e: Update) -> Value:
        """Untouched members stay what they are; a dropped one does not flow."""
        child = self.trace(e.child)
        how = direct(self.operator, Manipulation.CONSTRUCT)
        names = [f.name for f in e.child.type.fields] if isinstance(e.child.type, StructType) else []
        members = {name: extract(child, name) for name in names}
        for name, value in e.changes:
            same = next((n for n in members if n.lower() == name.lower()), name)
            if value is None:
                members.pop(same, None)
            else:
                members[same] = apply(self.trace(value), how)
        return construct(members.items())

    def _cast(self, value: Value, source: DataType | None, target: DataType) -> Value:
        """Member by member where both types have the same shape; no change of type is no cast."""
        if source == target:
            return value
        match source, target:
            case StructType(), StructType() if len(source.fields) == len(target.fields):
                pairs = zip(source.fields, target.fields, strict=True)
                return construct(
                    (t.name, self._cast(extract(value, s.name), s.type, t.type)) for s, t in pairs
                )
            case ArrayType(), ArrayType():
                element = self._cast(extract(value, ELEMENT), source.element, target.element)
                return merge((construct([(ELEMENT, element)]), extent([value], self.operator)))
            case MapType(), MapType():
                key = self._cast(extract(value, KEY), source.key, target.key)
                values = self._cast(extract(value, VALUE), source.value, target.value)
                return merge((construct([(KEY, key), (VALUE, values)]), extent([value], self.operator)))
            case _:
                how = direct(self.operator, Manipulation.CAST, subtype=Subtype.TRANSFORMATION)
                how = replace(how, wraps=not isinstance(source, AtomicType))
                if isinstance(source, StructType) and _is_text(target):
                    text = struct_as_text(value, source, how)
                    return apply(collapse(value), how) if text is None else text
                return (
                    self._cast_packed(value, target, how) if may_hold(source) else apply(collapse(value), how)
                )

    def _cast_packed(self, value: Value, target: DataType, how: How) -> Value:
        """A text as bytes, and back, holds what it held; a variant is taken apart by the type."""
        if isinstance(target, AtomicType):
            return apply(value, replace(how, packed=may_hold(target) and not _is_bounded(target)))
        return unpacked(value, target, how)

    def _aggregate(self, function: Expression, condition: Expression | None) -> Value:
        decided = None if condition is None else self.trace(condition)
        match function:
            case Call():
                given = [a for a in function.args if not _is_setting(a, function)]
                args = self._arguments(function, given)
                return with_condition(
                    aggregated_value_of(function, args, self.operator), decided, self.operator
                )
            case DeclaredCall():
                how = direct(self.operator, Manipulation.AGGREGATE, subtype=Subtype.AGGREGATION)
                return with_condition(apply_to_parts(self.trace(function), how), decided, self.operator)
            case ReadCall():
                how = direct(self.operator, Manipulation.AGGREGATE, subtype=Subtype.AGGREGATION)
                return with_condition(apply_to_parts(self._read(function), how), decided, self.operator)
            case OpaqueCall():
                how = direct(self.operator, Manipulation.OPAQUE, subtype=Subtype.AGGREGATION)
                return with_condition(apply(self._opaque(function), how), decided, self.operator)
            case _:
                how = direct(self.operator, Manipulation.AGGREGATE, subtype=Subtype.AGGREGATION)
                return with_condition(apply(self.trace(function), how), decided, self.operator)

    def _windowed(self, e: Windowed) -> Value:
        function = e.function
        if isinstance(function, AggregateCall):
            value = of_few(self._aggregate(function.call, function.filter))
        else:
            value = self.trace(function)
        ranked = Retains.FACT if isinstance(function, Call) and function.function in RANKS else None
        decisions = [
            decision(self.trace(expression), Subtype.WINDOW, Access.WINDOW, self.operator, reveals=reveals)
            for expressions, reveals in ((e.partition, None), (e.order, ranked))
            for expression in expressions
        ]
        return merge((value, *decisions))

    def _subquery(self, e: Subquery) -> Value:
        """A scalar subquery is its column, with what influences its rows. EXISTS and IN are truth values, computed
        from the compared values; which rows there are only decides.
        """
        operator, outputs = self.subquery(e)
        influences = column(Origin(operator, INFLUENCES, ""))
        columns = [column(Origin(operator, a.id, a.name)) for a in outputs]
        if e.kind == "SCALAR":
            return merge((*columns[:1], influences))
        retains = compared(Call(e.kind, e.compared), 0)
        how = direct(self.operator, Manipulation.COMPUTE, subtype=Subtype.TRANSFORMATION, retains=retains)
        computed = apply(collapse(merge(map(self.trace, e.compared))), how)
        decided = merge(columns if e.kind == "IN" else ())
        return merge(
            (
                computed,
                influences,
                constant(e.kind.lower()),
                decision(decided, Subtype.FILTER, Access.FILTER, self.operator),
            )
        )

    def _read(self, e: ReadCall) -> Value:
        """What was read of the code. Constants that the program gave it may be of what it collected, or read."""
        value = read_value(e.reading, e.name, [self.trace(a) for a in e.args], self.operator)
        return merge((value, Value(tuple(of_code(self.operator, self.program, e.reading.held)))))

    def _opaque(self, e: OpaqueCall) -> Value:
        how = direct(self.operator, Manipulation.OPAQUE, subtype=Subtype.TRANSFORMATION, function=e.name)
        value = apply(collapse(merge(map(self.trace, e.args))), how)
        mark = Value(made=() if value.made else (f"{e.name}()",), opaque=((e.reason, e.name),))
        return merge((value, mark, Value(tuple(of_code(self.operator, self.program)))))


def _is_pivoted(expression: Expression) -> bool:
    """Whether it is the array in which Spark keeps a pivot's values: a position in it is none of the program's."""
    return isinstance(expression, Column) and expression.name.startswith("__pivot_")


def _is_text(data_type: DataType) -> bool:
    return isinstance(data_type, AtomicType) and data_type.name == "string"


def _is_bounded(data_type: DataType) -> bool:
    """Whether texts of the type are cut or filled up."""
    return isinstance(data_type, AtomicType) and "char" in data_type.name


def _is_split(expression: Expression) -> bool:
    """Whether it is the array of a text's parts, so that an element is a part of the text."""
    return isinstance(expression, Call) and expression.function in ("split", "string_split_sql")


def _is_setting(argument: Expression, function: Call) -> bool:
    """A constant beside a function's first argument sets how it works, and is no value of the result."""
    return isinstance(argument, Literal) and argument is not function.args[0]
