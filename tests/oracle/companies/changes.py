"""What a job may do to the rows that it has read: each is a change of a program's ``df``."""

from __future__ import annotations

from typing import Final

from oracle.companies import functions, notations
from oracle.companies.features import Feature
from oracle.companies.kinds import Columns, Kind, Leaf, Many, Packed, Struct, ddl, leaves
from oracle.companies.program import Change, Program


def rename(p: Program) -> None:
    old = p.chance.choice(sorted(p.columns))
    new = p.name()
    changed = {new if name == old else name: kind for name, kind in p.columns.items()}
    p.add(f'df = df.withColumnRenamed("{old}", "{new}")', changed)


def drop(p: Program) -> None:
    if len(p.columns) > 3:
        gone = p.chance.choice(sorted(p.columns))
        p.add(f'df = df.drop("{gone}")', {n: k for n, k in p.columns.items() if n != gone})


def nest(p: Program) -> None:
    if len(p.columns) > 2:
        some = p.chance.sample(sorted(p.columns), 2)
        name, members = p.name(), ", ".join(f'"{each}"' for each in some)
        rest = {n: k for n, k in p.columns.items() if n not in some}
        kept = "".join(f'"{n}", ' for n in rest)
        kind = Struct({each: p.columns[each] for each in some})
        p.add(f'df = df.select({kept}F.struct({members}).alias("{name}"))', {**rest, name: kind})


def take_out(p: Program) -> None:
    if (column := p.of(Struct)) is not None:
        kind = p.columns[column]
        assert isinstance(kind, Struct)
        member = p.chance.choice(sorted(kind.fields))
        p.with_column(f"{column}.{member}", kind.fields[member])


def explode(p: Program) -> None:
    if (column := p.of(Many)) is not None:
        kind, name = p.columns[column], p.name()
        assert isinstance(kind, Many)
        rest = {n: k for n, k in p.columns.items() if n != column}
        kept = "".join(f'"{n}", ' for n in rest)
        p.add(f'df = df.select({kept}F.explode("{column}").alias("{name}"))', {**rest, name: kind.element})


def compute(p: Program) -> None:
    if (found := p.leaf()) is None:
        return
    name, leaf = found
    if leaf.type == "long":
        form = p.chance.choice(functions.NUMBERS)
    elif p.may(Feature.NO_OPERATION, 0.25):
        form = p.chance.choice(functions.NO_OPERATION)
    else:
        form = p.chance.choice((*functions.READABLE, *functions.UNREADABLE))
    _computed(p, form, name)


def _computed(p: Program, form: str, name: str) -> None:
    """A column of the function's result, of which no more is known than whether it is a text."""
    kind: Kind
    if form.startswith("array"):
        kind = Many(Leaf())
    elif form.startswith(("map", "transform", "encode")):
        p.with_column(f"to_json(named_struct('v', {form.format(name)}))", Packed({}))
        return
    elif form.startswith("named_struct"):
        kind = Struct({"m": Leaf()})
    else:
        p.with_column(f"cast({form.format(name)} AS string)", Leaf())
        return
    p.with_column(form.format(name), kind)


def condition(p: Program) -> None:
    if (found := p.leaf()) is not None:
        p.add(f'df = df.where("{found[0]} IS NOT NULL")')


def distinct(p: Program) -> None:
    p.add("df = df.distinct()")


def sort(p: Program) -> None:
    if (found := p.leaf()) is not None:
        p.add(f'df = df.orderBy("{found[0]}")')


def group(p: Program) -> None:
    """Groups by a column of few values, or all rows."""
    keys = [name for name, leaf in p.leaves() if leaf.of is None or leaf.words]
    keys = [name for name in keys if "." not in name]
    key = p.chance.choice([*keys, ""]) if keys else ""
    columns: Columns = {key: p.columns[key]} if key else {}
    made = [each for n in range(p.chance.randint(1, 3)) if (each := _aggregate(p, columns))]
    if made:
        by = f'"{key}"' if key else ""
        p.add(f"df = df.groupBy({by}).agg({', '.join(made)})", columns)


def _aggregate(p: Program, columns: Columns) -> str | None:
    found = p.leaf()
    if found is None:
        return None
    (column, leaf), name = found, p.name()
    form = _aggregate_form(p, leaf)
    kind: Kind = Leaf(leaf.type, leaf.of, leaf.words)
    if form == "inline_approx":
        form, kind = "approx_top_k({0}, 5)", Many(Struct({"item": kind, "count": Leaf("long")}))
    elif form.startswith("collect"):
        kind = Many(kind)
    elif "(" in form and form.split("(")[0] not in ("min", "max", "first", "last", "mode", "any_value"):
        form, kind = f"cast({form} AS string)", Leaf()
    columns[name] = kind
    return f'F.expr("{form.format(column, column)}").alias("{name}")'


def _aggregate_form(p: Program, leaf: Leaf) -> str:
    number = leaf.type == "long"
    statistics = (*functions.STATISTICS, *(functions.NUMBER_STATISTICS if number else ()))
    forms: tuple[str, ...] = (*functions.COLLECTED, *statistics)
    if p.may(Feature.ONE_OF_GROUP, 0.4):
        forms = functions.NUMBERS_OF_GROUP if number else functions.ONE_OF_GROUP
    return p.chance.choice(forms)


def pivot(p: Program) -> None:
    """Values become names of columns, which become values again."""
    found, key = p.few(), next((name for name, kind in p.columns.items() if isinstance(kind, Leaf)), None)
    if found is None or key in (None, found[0]) or not p.may(Feature.NAMES, 0.4):
        return
    p.add(f'df = df.groupBy("{key}").pivot("{found[0]}").agg(F.count(F.lit(1)))')
    if p.chance.random() < 0.5:
        name = p.name()
        p.add(f'df = df.select(F.to_json(F.struct("*")).alias("{name}"))', {name: Packed({})})
        return
    name, number = p.name(), p.name()
    values = f'[each for each in df.columns if each != "{key}"]'
    p.add(
        f'df = df.unpivot("{key}", {values}, "{name}", "{number}")',
        {str(key): p.columns[str(key)], name: Leaf(), number: Leaf("long")},
    )


def decide(p: Program) -> None:
    """A branch over the values of a leaf, with constants for them."""
    if (found := p.few()) is None or not p.may(Feature.DECISION, 0.8):
        return
    name, leaf = found
    one, other, first = p.code(leaf), p.code(leaf), leaf.words[0]
    p.with_column(p.chance.choice((
        f"CASE WHEN {name} = '{first}' THEN '{one}' ELSE '{other}' END",
        f"if({name} = '{first}', '{first}', 'none')",
        f"decode({name}, '{first}', '{one}', '{leaf.words[1]}', '{other}', 'none')",
        f"CASE {name} " + " ".join(f"WHEN '{w}' THEN '{w}'" for w in leaf.words) + " END",
        f"nvl2(nullif({name}, '{first}'), '{one}', '{other}')",
    )), Leaf())  # fmt: skip


def look_up(p: Program) -> None:
    """A constant map, indexed by the values of a leaf."""
    if (found := p.few()) is None or not p.may(Feature.LOOKUP, 0.8):
        return
    name, leaf = found
    pairs = ", ".join(f"'{each}', '{p.code(leaf)}'" for each in leaf.words)
    form = p.chance.choice(("map({1})[{0}]", "element_at(map({1}), {0})", "try_element_at(map({1}), {0})"))
    p.with_column(form.format(name, pairs), Leaf())


def filter_to_one(p: Program) -> None:
    if (found := p.few()) is None or not p.may(Feature.FILTER, 0.5):
        return
    name, leaf = found
    p.add(f"df = df.where(\"{name} = '{leaf.words[0]}'\")")
    p.with_column(f"'{leaf.words[0]}'", Leaf())


def pack(p: Program) -> None:
    """Some columns become a JSON text."""
    if not p.may(Feature.PACKED, 0.8):
        return
    some = p.chance.sample(sorted(p.columns), min(3, len(p.columns)))
    members = ", ".join(some)
    p.with_column(f"to_json(struct({members}))", Packed({each: p.columns[each] for each in some}))


def unpack(p: Program) -> None:
    """One value is taken out of a JSON text."""
    if (column := p.of(Packed)) is None or not p.may(Feature.PACKED, 0.9):
        return
    kind = p.columns[column]
    assert isinstance(kind, Packed)
    found = list(leaves(kind.fields))
    if not found:
        return
    path, leaf = p.chance.choice(found)
    top = path.split(".")[0]
    schema = f"{top} {ddl(kind.fields[top])}"
    text = Leaf("string", leaf.of, leaf.words)
    p.with_column(*p.chance.choice((
        (f"get_json_object({column}, '$.{path}')", text),
        (f"from_json({column}, '{schema}').{path}", leaf),
    )))  # fmt: skip


PYTHON: Final = (
    ("lambda value, mark: value and value[::-1]", "string", ""),
    ("lambda value, mark: (value or '').strip() + mark", "string", ""),
    ("lambda value, mark: f'{mark}{value}'", "string", ""),
    ("lambda value, mark: {'kept': value, 'mark': mark}", "kept string, mark string", "['kept']"),
    ("lambda value, mark: {'kept': value, 'mark': mark}", "kept string, mark string", "['mark']"),
    ("lambda value, mark: [each for each in (value or '').split('@')][0]", "string", ""),
    ("lambda value, mark: ''.join(c for c in value or '' if c != mark)", "string", ""),
    ("lambda value, mark: mark if value is None else value", "string", ""),
    ("lambda value, mark: len(value or '')", "int", ".cast('string')"),
)
"""Functions of a text and a mark, the type of what they give, and what is taken of that."""


def apply_python(p: Program) -> None:
    if (found := p.leaf("string")) is not None and p.may(Feature.UDF, 0.2):
        name = p.name()
        code, kind, member = p.chance.choice(PYTHON)
        p.add(f'made = F.udf({code}, "{kind}")')
        p.add(
            f'df = df.withColumn("{name}", made(F.col("{found[0]}"), F.lit("x")){member})',
            {**p.columns, name: Leaf()},
        )


CHANGES: Final[tuple[Change, ...]] = (
    rename, drop, nest, take_out, explode, explode, compute, compute, compute, condition, distinct, sort, group,
    pivot, decide, look_up, filter_to_one, pack, unpack, unpack, apply_python,
    notations.note, notations.take_noted, notations.take_noted,
)  # fmt: skip
