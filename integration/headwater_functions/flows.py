"""An analysis as flows between the types of a call: from paths of its arguments to paths of its result."""

from __future__ import annotations

from collections.abc import Iterator
from ntpath import basename

from headwater_facets.kinds import Manipulation
from headwater_functions.analysis.heap import ORDERED
from headwater_functions.analysis.values import COMPUTE, Edge, How, after
from headwater_functions.resolve import Form, resolve
from headwater_functions.result import ANY, KEYS, Analysis, Part
from headwater_functions.unreadable import ANY_HINT
from headwater_plan.readings import ReadFlow, Reading, Why
from headwater_plan.types import ELEMENT, KEY, VALUE, ArrayType, AtomicType, DataType, MapType, StructType

Types = tuple[DataType, ...]
Steps = tuple[str, ...]


def reading_of(
    analysis: Analysis,
    arguments: Types,
    result: DataType,
    form: Form,
    *,
    by_name: bool = True,
    of_all: bool = False,
) -> Reading:
    """What the function does in a call with arguments of these types, whose result is of that type.

    ``by_name``: whether columns of frames become those of the result by their names, and not by their positions;
    ``of_all``: whether the result of an iterator is one value, and not an iterator.
    """
    part = analysis.result
    if form is Form.BATCHES and not of_all:
        part = _element_of(part)
    if form is not Form.VALUES and not of_all and isinstance(result, StructType):
        found = _columns(part, result, arguments, form, by_name)
    else:
        found = _flows(part, result, (), arguments, form)
    return _reading(analysis, found)


def reading_of_elements(analysis: Analysis, arguments: Types, row: StructType) -> Reading:
    """What the function does in a call whose result has rows of that type, one by one."""
    return _reading(analysis, _flows(_element_of(analysis.result), row, (), arguments, Form.VALUES))


def _reading(analysis: Analysis, found: Iterator[ReadFlow]) -> Reading:
    """What was read of the function, with each flow once."""
    flows = tuple(dict.fromkeys(found))
    unread = tuple(Why("CALL", reason, ANY_HINT) for reason in sorted(analysis.unread))
    return Reading(analysis.name, basename(analysis.file), analysis.line, flows, unread, analysis.held)


def _element_of(part: Part) -> Part:
    """The frames or series that come out of an iterator."""
    inner = part.members.get(ANY, Part())
    edges, opaque = part.edges | inner.edges, part.opaque | inner.opaque
    replaces = inner.replaces and not any(e.how.moves for e in part.edges)
    return Part(edges, inner.members, opaque, inner.kinds, replaces)


def _columns(
    part: Part, result: StructType, arguments: Types, form: Form, by_name: bool
) -> Iterator[ReadFlow]:
    """A frame whose columns become members of the result."""
    if not by_name:
        yield from _columns_in_order(part, result, arguments, form)
        return
    for edge in sorted(part.edges, key=repr):
        if not edge.how.moves:
            yield from _flow(edge, result, (), arguments, form)
            continue
        for each in result.fields:
            if not (part.replaces and each.name in part.members):
                column = Edge((*edge.path, ("item", each.name)), edge.how)
                yield from _flow(column, each.type, (each.name,), arguments, form)
    for name, member in part.members.items():
        places = list(_places(name, part, result))
        for step, inner in places:
            yield from _flows(member, inner, (step,), arguments, form)
        if not places and (name in (ANY, KEYS) or not isinstance(name, str)):
            yield from _all(member, (), arguments, form)


def _columns_in_order(part: Part, result: StructType, arguments: Types, form: Form) -> Iterator[ReadFlow]:
    """The same where the n-th column becomes the n-th member; of a frame whose order is not known any may."""
    moving = [e for e in part.edges if e.how.moves]
    members = [part.members[name] for name in part.members]
    if ORDERED in part.kinds and not moving and len(members) == len(result.fields):
        pairs = list(zip(members, result.fields, strict=True))
    else:
        names = None if members else _names_in_order(moving, arguments)
        if names is None or len(names) != len(result.fields):
            yield from _all(part, (), arguments, form)
            return
        taken = [frozenset(Edge((*e.path, ("item", name)), e.how) for e in moving) for name in names]
        pairs = [(Part(edges), field) for edges, field in zip(taken, result.fields, strict=True)]
    for edge in sorted(part.edges - set(moving), key=repr):
        yield from _flow(edge, result, (), arguments, form)
    for member, field in pairs:
        yield from _flows(member, field.type, (field.name,), arguments, form)


def _names_in_order(moving: list[Edge], arguments: Types) -> list[str] | None:
    """The columns of the one frame that all of the edges are of, as it was given."""
    found = {edge.path[0] for edge in moving}
    if len(found) != 1 or not found <= set(range(len(arguments))):
        return None
    if any(kind not in ("each", "rows") for edge in moving for kind, _ in edge.path[1:]):
        return None
    given = arguments[found.pop()]
    frame = given.element if isinstance(given, ArrayType) else given
    return [f.name for f in frame.fields] if isinstance(frame, StructType) else None


def _flows(part: Part, kind: DataType, target: Steps, arguments: Types, form: Form) -> Iterator[ReadFlow]:
    for edge in sorted(part.edges, key=repr):
        yield from _flow(edge, kind, target, arguments, form)
    if isinstance(kind, AtomicType):
        for member in part.members.values():
            yield from _all(member, target, arguments, form)
        return
    for name, member in part.members.items():
        places = list(_places(name, part, kind))
        for step, inner in places:
            yield from _flows(member, inner, (*target, step), arguments, form)
        if not places and not _is_left_out(name, part, kind):
            yield from _all(member, target, arguments, form)


def _is_left_out(name: object, part: Part, kind: DataType) -> bool:
    """Whether the result's type lacks the name, as of dictionaries; columns of frames go by position then."""
    is_known = isinstance(name, str) and name not in (ANY, KEYS)
    return is_known and isinstance(kind, StructType) and "frame" not in part.kinds


def _places(name: object, part: Part, kind: DataType) -> Iterator[tuple[str, DataType]]:
    match kind:
        case ArrayType() if name == ANY or isinstance(name, int):
            yield ELEMENT, kind.element
        case MapType():
            yield (KEY, kind.key) if name == KEYS else (VALUE, kind.value)
        case StructType() if isinstance(name, int):
            if 0 <= name < len(kind.fields):
                yield kind.fields[name].name, kind.fields[name].type
        case StructType() if name not in (ANY, KEYS):
            yield from ((f.name, f.type) for f in kind.fields if f.name == name)
        case _:
            return


def _all(part: Part, target: Steps, arguments: Types, form: Form) -> Iterator[ReadFlow]:
    """All of a part, wherever it is in the target."""
    for edge in part.all_edges():
        yield from _flow(
            Edge(edge.path, after(edge.how, COMPUTE)), AtomicType("other"), target, arguments, form
        )


def _flow(edge: Edge, kind: DataType, target: Steps, arguments: Types, form: Form) -> Iterator[ReadFlow]:
    source = resolve(edge, arguments, form)
    if source is None:
        return
    how, steps = source.how, source.steps
    if form is Form.BATCHES and isinstance(arguments[source.argument], ArrayType):
        steps = steps[1:]
    given = _type_at(arguments[source.argument], source.steps)
    if how.moves and given != kind and not (isinstance(given, AtomicType) and isinstance(kind, AtomicType)):
        # Members of other names go by position, or are made otherwise.
        how = after(how, COMPUTE)
    yield _row(source.argument, steps, target, how)


def _row(argument: int, source: Steps, target: Steps, how: How) -> ReadFlow:
    manipulation = tuple(m for m in Manipulation if m in how.manipulation)
    return ReadFlow(argument, source, target, manipulation, how.retains, how.decides, how.extent)


def _type_at(kind: DataType, steps: Steps) -> DataType | None:
    for step in steps:
        match kind:
            case StructType():
                found = next((f.type for f in kind.fields if f.name == step), None)
                if found is None:
                    return None
                kind = found
            case ArrayType():
                kind = kind.element
            case MapType():
                kind = kind.key if step == KEY else kind.value
            case _:
                return None
    return kind
