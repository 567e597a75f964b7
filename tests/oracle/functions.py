# ruff: noqa: E501 - a template is read as a whole
"""Steps of random pipelines: functions of the DataFrame API, and operators in the API and in SQL.

A template's ``{n}`` are expressions of type long, ``{s}`` of type string, ``{a}`` and ``{b}`` the second and third ones
of the result's own sort. What a template gives is cast, so that a column has the type that it is noted with.
"""

from __future__ import annotations

from collections.abc import Callable

from headwater_plan.types import ArrayType, AtomicType, DataType, MapType, StructField, StructType
from oracle.pipelines import LONG, STRING, Pipeline

LONGS = """
F.abs({n}) | F.greatest({n}, {a}) | F.least({n}, {a}, {b}) | F.nvl({n}, {a}) | F.nullif({n}, {a}) | F.ifnull({n}, {a})
F.nvl2({n}, {a}, {b}) | F.when({n}.between({a}, {b}), {n}).otherwise({b})
F.try_add({n}, {a}) | F.try_subtract({n}, {a}) | F.try_multiply({n}, {a}) | F.try_divide({n}, {a}) | F.pmod({n}, F.lit(3))
F.shiftleft({n}.cast("int"), 1) | F.bit_count({n}) | F.length({s}) | F.instr({s}, "a") | F.locate("n", {s}) | F.ascii({s})
F.levenshtein({s}, F.lit("Bern")) | F.year(F.timestamp_seconds({n})) | F.datediff(F.date_add(F.lit("2024-01-01").cast("date"), {n}.cast("int")), F.lit("2024-01-01").cast("date"))
F.size(F.split({s}, "n")) | F.crc32({s}) | F.hash({n}, {s}) | F.xxhash64({s}) | F.regexp_count({s}, F.lit("n")) | F.regexp_instr({s}, F.lit("n"))
F.get(F.array({n}, {a}), F.lit(0)) | F.get(F.array({n}, {a}), {b}.cast("int")) | F.try_element_at(F.array({n}, {a}), F.lit(2)) | F.array_max(F.array({n}, {a}))
F.aggregate(F.array({n}, {a}), F.lit(0).cast("long"), lambda x, y: x + y) | F.size(F.filter(F.array({n}, {a}), lambda x: x > {b}))
F.element_at(F.array_sort(F.array({n}, {a})), 1) | F.call_function("array_position", F.array({n}, {a}), {b}) | F.elt(F.lit(2), {n}.cast("string"), {a}.cast("string"))
F.exists(F.array({n}), lambda x: x > {a}).cast("long") | F.forall(F.array({n}), lambda x: x > {a}).cast("long") | F.isnull({n}).cast("long")
F.equal_null({n}, {a}).cast("long") | F.width_bucket({n}.cast("double"), F.lit(0.0), F.lit(9.0), F.lit(3)) | F.sign({n}) | F.round({n}.cast("double") / 2)
F.map_values(F.create_map({s}, {n}))[0] | F.cardinality(F.array({n}, {a})) | F.array_size(F.array_distinct(F.array({n}, {a})))
F.coalesce(F.nullif({n}, {a}), {b}) | F.expr("1").cast("long") + {n} | F.named_struct(F.lit("k"), {n})["k"] | F.try_to_number(F.lit("7"), F.lit("9")) + {n}
"""
STRINGS = """
F.upper({s}) | F.initcap({s}) | F.reverse({s}) | F.substring({s}, 1, 2) | F.left({s}, F.lit(2)) | F.right({s}, {n}.cast("int")) | F.lpad({s}, 6, "-")
F.concat_ws("-", {s}, {a}) | F.format_string("%s/%s", {s}, {n}) | F.regexp_replace({s}, "n", "m") | F.regexp_replace({s}, {a}, F.lit("m"))
F.regexp_extract({s}, "(n+)", 1) | F.regexp_substr({s}, F.lit("n.")) | F.split_part({s}, F.lit("e"), F.lit(1)) | F.translate({s}, "an", "bm") | F.overlay({s}, {a}, 1)
F.nvl({s}, {a}) | F.nullif({s}, {a}) | F.ifnull({s}, {a}) | F.nvl2({s}, {a}, {b}) | F.repeat({s}, 2) | F.soundex({s}) | F.md5({s}) | F.base64({s}) | F.hex({s})
F.date_format(F.timestamp_seconds({n}), "ss") | F.to_json(F.struct({s}.alias("k"))) | F.get_json_object(F.to_json(F.struct({s}.alias("k"), {a}.alias("l"))), "$.k")
F.from_json(F.to_json(F.struct({s}.alias("k"), {a}.alias("l"))), "k string")["k"] | F.mask({s}) | F.elt(F.lit(1), {s}, {a}) | F.substring_index({s}, "n", 1)
F.array_join(F.array({s}, {a}), ",") | F.array_join(F.array_sort(F.array({s}, {a})), ",") | F.element_at(F.create_map(F.lit("x"), {s}), "x")
F.transform(F.array({s}), lambda x: F.concat(x, {a}))[0] | F.zip_with(F.array({s}), F.array({a}), lambda x, y: F.concat(x, y))[0]
F.map_keys(F.transform_keys(F.create_map(F.lit("x"), {s}), lambda k, v: F.coalesce(v, F.lit("-"))))[0] | F.concat({s}, F.lit("y")) | F.btrim({s}, F.lit("a"))
F.when({s}.startswith("B"), {s}).when({s}.contains("n"), {a}).otherwise({b}) | F.when({s}.isin("a", "x"), {a}) | F.when({s}.like("%n%"), {b}).otherwise({s})
F.transform_values(F.create_map(F.lit("x"), {s}), lambda k, v: F.upper(v))["x"] | F.map_concat(F.create_map(F.lit("x"), {s}), F.create_map(F.lit("y"), {a}))["y"]
F.struct({s}.alias("k"), {a}.alias("l")).withField("k", {b})["k"] | F.struct({s}.alias("k"), {a}.alias("l")).dropFields("k")["l"] | F.trim({s}) | F.try_element_at(F.split({s}, "e"), F.lit(1))
F.unbase64(F.base64({s})).cast("string") | F.decode(F.encode({s}, "utf-8"), "utf-8") | F.char_length({s}).cast("string") | F.url_encode({s}) | F.to_csv(F.struct({s}, {n}))
F.flatten(F.array(F.array({s}), F.array({a})))[1] | F.slice(F.array({s}, {a}), 2, 1)[0] | F.array_append(F.array({s}), {a})[1] | F.arrays_zip(F.array({s}).alias("k"))[0]["k"]
"""
AGGREGATES = """
F.max({n}) | F.min({n}) | F.count({n}) | F.sum({n}) | F.avg({n}) | F.count_distinct({n}) | F.max_by({n}, {a}) | F.min_by({n}, {s}) | F.bit_or({n}) | F.count_if({n} > 1)
F.max(F.struct({n}, {a}))["col1"] | F.sum(F.when({s} == "a", {n})) | F.array_max(F.collect_set({n})) | F.stddev({n}) | F.mode({n}) | F.product({n}) | F.bool_or({n} > 1).cast("long")
"""
FRAMES = """
rowsBetween(-1, 1) | rowsBetween(Window.unboundedPreceding, 0) | rangeBetween(-1, 1) | rowsBetween(1, Window.unboundedFollowing)
"""
OVER = """
F.sum({n}) | F.max({n}) | F.first({n}) | F.last({n}, True) | F.count({n}) | F.nth_value({n}, 2)
"""
RANKS = """
F.lag({n}, 1) | F.lead({n}, 1, 0) | F.ntile(2) | F.dense_rank() | F.percent_rank() | F.cume_dist() | F.row_number()
"""


def _listed(text: str) -> list[str]:
    return [part.strip() for line in text.splitlines() for part in line.split(" | ") if part.strip()]


def _filled(p: Pipeline, template: str, kind: DataType) -> str:
    def one(of: AtomicType) -> str:
        return f"{p.scalar(of)[0]}.cast({_named(of)!r})"

    parts = {"n": one(LONG), "s": one(STRING), "a": one(_atomic(kind)), "b": one(_atomic(kind))}
    for name, part in parts.items():
        template = template.replace("{" + name + "}", part)
    return template


def _atomic(kind: DataType) -> AtomicType:
    return kind if isinstance(kind, AtomicType) else STRING


def _named(kind: DataType) -> str:
    return kind.name if isinstance(kind, AtomicType) else "string"


def computed(p: Pipeline) -> None:
    """One function of the API, of a number or of a text."""
    kind, templates = p.chance.choice([(LONG, LONGS), (STRING, STRINGS)])
    name, text = p.name(), _filled(p, p.chance.choice(_listed(templates)), kind)
    p.step(f'df = df.withColumn("{name}", ({text}).cast("{_named(kind)}"))', {**p.columns, name: kind})


def predicate(p: Pipeline) -> None:
    """A filter by a function."""
    text = p.chance.choice(
        ["{n}.between({a}, {b})", "F.nvl({n}, {a}) >= {b}", "F.nullif({n}, {a}).isNotNull()", "~F.equal_null({n}, {a})"]
    )  # fmt: skip
    p.step(f"df = df.where(({_filled(p, text, LONG)}) | {p.scalar(LONG)[0]}.isNotNull())", p.columns)


def framed(p: Pipeline) -> None:
    """A window function with a frame, or one that ranks."""
    name, (by, _), (order, _) = p.name(), p.scalar(), p.scalar(LONG)
    window = f'Window.partitionBy({by}).orderBy({order}.cast("long"))'
    if p.chance.random() < 0.5:
        function = _filled(p, p.chance.choice(_listed(OVER)), LONG)
        window += f".{p.chance.choice(_listed(FRAMES))}"
    else:
        function = _filled(p, p.chance.choice(_listed(RANKS)), LONG)
    p.step(f'df = df.withColumn("{name}", {function}.over({window}).cast("long"))', {**p.columns, name: LONG})


def grouped(p: Pipeline) -> None:
    """GROUP BY, ROLLUP or CUBE with any aggregate."""
    form, (key, kind), (other, other_kind) = (
        p.chance.choice(["groupBy", "rollup", "cube"]),
        p.scalar(),
        p.scalar(),
    )
    names = [p.name() for _ in range(4)]
    first, second = (_filled(p, p.chance.choice(_listed(AGGREGATES)), LONG) for _ in range(2))
    p.step(
        f'df = df.{form}({key}.alias("{names[0]}"), {other}.alias("{names[1]}"))'
        f'.agg(({first}).cast("long").alias("{names[2]}"), ({second}).cast("long").alias("{names[3]}"))',
        {names[0]: kind, names[1]: other_kind, names[2]: LONG, names[3]: LONG},
    )


def pivoted(p: Pipeline) -> None:
    (key, kind), (by, _), (value, _) = p.scalar(), p.scalar(STRING), p.scalar(LONG)
    names = [p.name() for _ in range(4)]
    p.step(
        f'df = df.withColumn("{names[3]}", {by}.cast("string")).groupBy({key}.alias("{names[0]}"))'
        f'.pivot("{names[3]}", ["a", "Bern"]).agg(F.sum({value}.cast("long"))).toDF({", ".join(map(repr, names[:3]))})',
        {names[0]: kind, names[1]: LONG, names[2]: LONG},
    )


def unpivoted(p: Pipeline) -> None:
    (key, kind), (a, _), (b, _) = p.scalar(), p.scalar(STRING), p.scalar(STRING)
    names = [p.name() for _ in range(5)]
    p.step(
        f'df = df.select({key}.alias("{names[0]}"), {a}.cast("string").alias("{names[1]}"),'
        f' {b}.cast("string").alias("{names[2]}"))'
        f'.unpivot(["{names[0]}"], ["{names[1]}", "{names[2]}"], "{names[3]}", "{names[4]}")',
        {names[0]: kind, names[3]: STRING, names[4]: STRING},
    )


def filled(p: Pipeline) -> None:
    """``fillna`` and ``replace`` of plain columns."""
    plain = [name for name, kind in p.columns.items() if isinstance(kind, AtomicType)]
    if plain:
        name = p.chance.choice(plain)
        text = p.columns[name] == STRING
        new, old = ('"y"', '"a"') if text else ("9", "1")
        form = p.chance.choice(
            [f'fillna({new}, ["{name}"])', f'replace({old}, {new}, ["{name}"])', f'dropna(subset=["{name}"])']
        )
        p.step(f"df = df.{form}", p.columns)


def set_operation(p: Pipeline) -> None:
    (a, kind), (c, _) = p.scalar(), p.scalar()
    (b, _) = p.scalar(kind)
    names = [p.name() for _ in range(4)]
    form = p.chance.choice(["intersect", "intersectAll", "subtract", "exceptAll", "union"])
    p.step(
        f'df = df.select({a}.alias("{names[0]}"), {c}.cast("string").alias("{names[1]}")).{form}('
        f'df.select({b}.cast("{_named(kind)}").alias("{names[2]}"), {c}.cast("string").alias("{names[3]}")))',
        {names[0]: kind, names[1]: STRING},
    )


def subquery(p: Pipeline) -> None:
    """EXISTS, IN, a scalar subquery or a lateral join over another table, in SQL, correlated or not."""
    (mine, _), name = p.scalar(LONG), p.name()
    other = p.read("other")
    theirs = next(n for n, k in other.items() if k == LONG)
    text = next((n for n, k in other.items() if k == STRING), theirs)
    p.lines.append(f'df.withColumn("{name}", {mine}.cast("long")).createOrReplaceTempView("mine")')
    p.lines.append('other.createOrReplaceTempView("theirs")')
    added = p.name()
    forms = {
        f"SELECT * FROM mine WHERE EXISTS (SELECT 1 FROM theirs WHERE theirs.{theirs} = mine.{name})": None,
        f"SELECT * FROM mine WHERE NOT EXISTS (SELECT 1 FROM theirs WHERE theirs.{theirs} > mine.{name})": None,
        f"SELECT * FROM mine WHERE {name} IN (SELECT {theirs} FROM theirs)": None,
        f"SELECT * FROM mine WHERE {name} NOT IN (SELECT {theirs} FROM theirs WHERE {theirs} BETWEEN 1 AND 3)": None,
        f"SELECT mine.*, (SELECT max({theirs}) FROM theirs) AS {added} FROM mine": LONG,
        f"SELECT mine.*, (SELECT max(t.{text}) FROM theirs t WHERE t.{theirs} = mine.{name}) AS {added} FROM mine": other[text],
        f"SELECT mine.*, l.{added} FROM mine, LATERAL (SELECT s + mine.{name} AS {added} FROM (SELECT sum({theirs}) AS s FROM theirs)) l": LONG,
        f"SELECT mine.*, t.{text} AS {added} FROM mine JOIN theirs t ON t.{theirs} <=> mine.{name}": other[text],
    }  # fmt: skip
    chosen = p.chance.choice(list(forms))
    kind = forms[chosen]
    columns = {**p.columns, name: LONG}
    p.step(f'df = spark.sql("{chosen}")', columns if kind is None else {**columns, added: kind})


def member_changed(p: Pipeline) -> None:
    structs = p.of(StructType)
    if structs:
        column, name, (value, kind) = p.chance.choice(structs), p.name(), p.scalar()
        old = p.columns[column]
        assert isinstance(old, StructType)
        first, *rest = old.fields
        if rest and p.chance.random() < 0.5:
            p.step(
                f'df = df.withColumn("{name}", F.col("{column}").dropFields("{first.name}"))',
                {**p.columns, name: StructType(tuple(rest))},
            )
        else:
            changed = StructType((StructField(first.name, kind), *rest))
            p.step(
                f'df = df.withColumn("{name}", F.col("{column}").withField("{first.name}", {value}))',
                {**p.columns, name: changed},
            )


def positions(p: Pipeline) -> None:
    """``posexplode`` and the outer forms."""
    arrays, maps = p.of(ArrayType), p.of(MapType)
    names = [p.name() for _ in range(3)]
    if arrays:
        column = p.chance.choice(arrays)
        kind = p.columns[column]
        assert isinstance(kind, ArrayType)
        rest = {n: k for n, k in p.columns.items() if n != column}
        kept = ", ".join(f'"{n}"' for n in rest) + ", " * bool(rest)
        form = p.chance.choice(["posexplode", "posexplode_outer"])
        p.step(
            f'df = df.select({kept}F.{form}("{column}").alias("{names[0]}", "{names[1]}"))'
            f'.withColumn("{names[0]}", F.col("{names[0]}").cast("long"))',
            {**rest, names[0]: LONG, names[1]: kind.element},
        )
    elif maps:
        column = p.chance.choice(maps)
        kind = p.columns[column]
        assert isinstance(kind, MapType)
        p.step(
            f'df = df.select("*", F.explode_outer("{column}").alias("{names[0]}", "{names[1]}"))',
            {**p.columns, names[0]: kind.key, names[1]: kind.value},
        )


def through_an_rdd(p: Pipeline) -> None:
    """Rows through Python and back."""
    (a, _), (b, _) = p.scalar(STRING), p.scalar(LONG)
    names = [p.name() for _ in range(2)]
    p.step(
        f'df = df.select({a}.cast("string").alias("u"), {b}.cast("long").alias("v"))'
        f'.rdd.map(lambda r: (r.u, r.v)).toDF("{names[0]} string, {names[1]} long")',
        {names[0]: STRING, names[1]: LONG},
    )


def through_pandas(p: Pipeline) -> None:
    (a, _), (b, _) = p.scalar(STRING), p.scalar(STRING)
    names = [p.name() for _ in range(2)]
    p.step(
        f'df = df.select({a}.cast("string").alias("{names[0]}"), {b}.cast("string").alias("{names[1]}"))'
        f'.mapInPandas(lambda frames: frames, "{names[0]} string, {names[1]} string")',
        {names[0]: STRING, names[1]: STRING},
    )


MORE_STEPS: tuple[Callable[[Pipeline], None], ...] = (
    *[computed] * 8, predicate, framed, framed, grouped, pivoted, unpivoted, filled, set_operation, subquery, subquery,
    subquery, member_changed, positions, through_an_rdd, through_pandas,
)  # fmt: skip
