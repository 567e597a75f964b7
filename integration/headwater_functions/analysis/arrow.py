"""Methods of Arrow's tables, batches and columns, which keep columns apart; those that pandas has as well are there."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from headwater_functions.analysis.callables import Call
from headwater_functions.analysis.frame import Frame
from headwater_functions.analysis.frames import choosing, drop, names, same
from headwater_functions.analysis.heap import ORDERED, Object
from headwater_functions.analysis.values import NOTHING, Value, constant

Rule = Callable[[Frame, Call], Value]


def column(f: Frame, call: Call) -> Value:
    """A column by its name or its position."""
    key = call.argument(0, "i")
    return f.item(call.receiver or NOTHING, key) if key is not None else f.compute(call.all)


def selected(f: Frame, call: Call) -> Value:
    """Columns by their names."""
    listed = f.columns(call.args[0]) if len(call.args) == 1 and not call.keywords else None
    return f.selected(call.receiver or NOTHING, listed) if listed is not None else f.compute(call.all)


def appended(f: Frame, call: Call) -> Value:
    """A copy with another column, which is the last one."""
    return _with(f, call, 0, ordered=True)


def replaced(f: Frame, call: Call) -> Value:
    """A copy with another column in the place of one, or before it; which one that is does not matter by names."""
    return _with(f, call, 1, ordered=False)


def _with(f: Frame, call: Call, first: int, *, ordered: bool) -> Value:
    if len(call.args) != first + 2 or call.keywords:
        return f.compute(call.all)
    name, value = call.args[first:]
    if name.single is None or not isinstance(name.single.value, str):
        return f.compute(call.all)
    before = [m.made for _, m in f.objects(call.receiver or NOTHING)]
    made = same(f, Call("copy", [], receiver=call.receiver))
    if not made.refs:
        made = f.new(Object("frame", made), "appended")
    f.put(made, constant(name.single.value), value)
    for ref, known in f.objects(made):
        in_order = ordered and before == [ORDERED]
        f.state.change(
            ref,
            Object(
                known.kind,
                known.own,
                known.members,
                known.elements,
                known.keys,
                ORDERED if in_order else None,
            ),
        )
    return made


def some_rows(f: Frame, call: Call) -> Value:
    """Rows that a mask or positions choose."""
    return f.filtered(call.receiver or NOTHING, [*call.args, *call.keywords.values()])


def by_names(f: Frame, call: Call) -> Value:
    """All rows or parts, as constants tell, or by columns whose names they are."""
    receiver = call.receiver or NOTHING
    return f.filtered(receiver, [receiver, *call.args, *call.keywords.values()])


def listed(f: Frame, call: Call) -> Value:
    """The rows as dictionaries, or the values of a column."""
    receiver = call.receiver or NOTHING
    element = f.filtered(receiver, []) if receiver.refs or receiver.edges else f.compute(call.all)
    return f.new(Object("list", Value(f.extent(receiver).edges), elements=element), "listed")


def dropped(f: Frame, call: Call) -> Value:
    """A copy without columns of constant names."""
    if len(call.args) != 1 or call.keywords:
        return f.compute(call.all)
    return drop(f, Call("drop", [], {"columns": call.args[0]}, call.receiver))


def batches(f: Frame, call: Call) -> Value:
    """The batches of a table."""
    return f.iterator(call.receiver or NOTHING, [call.receiver or NOTHING])


ARROW: Mapping[str, Rule] = {
    "column": column,
    "select": selected,
    "append_column": appended,
    **names(replaced, "set_column add_column"),
    "drop_columns": dropped,
    "filter": some_rows,
    "take": some_rows,
    "sort_by": by_names,
    "slice": same,
    "to_batches": batches,
    "to_pylist": listed,
    **names(same, "combine_chunks unify_dictionaries replace_schema_metadata"),
    **names(choosing, "group_by rename_columns remove_column to_pydict flatten drop_null"),
}
"""Rules of methods."""
