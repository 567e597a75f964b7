# ruff: noqa: E501 - a position is a line
"""Plants a constant of its own in every position of a program that there is, and writes or fails with each.

constants.py OUT [POSITION...]

``VALUES`` are positions whose constants must not leave; ``COMPARED`` those of predicates and selectors, which are
planted again after a ``collect``. Each takes the session, the data (people: id, name, props, items, json) and its
constant.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

Position = Callable[[Any, Any, str], Any]
"""Gives what is to be written; None where it has written itself."""

VALUES: dict[str, Position] = {}
COMPARED: dict[str, Position] = {}
AFTER = "after_"
"""Before the name of a position that is planted once more after the application has collected data."""


def planted(name: str) -> str:
    """The constant of a position: text that nothing else holds, not even the name of a column or file."""
    return f"zq{sum(ord(c) * 31**i for i, c in enumerate(name)) % 10**9:09d}qz"


def digits(constant: str) -> int:
    """The constant as a number of nine digits."""
    return int("7" + constant[3:-2])


def of(kind: dict[str, Position]) -> Callable[[Position], Position]:
    def add(position: Position) -> Position:
        kind[position.__name__] = position
        return position

    return add


def select(kind: dict[str, Position], **texts: str) -> None:
    """Positions in one SQL expression each; ``{}`` is the constant, ``{n}`` as a number."""
    for name, text in texts.items():

        def position(spark: Any, people: Any, constant: str, text: str = text) -> Any:
            shown = text.replace("{n}", str(digits(constant))).replace("{}", constant)
            return people.selectExpr("id", f"{shown} AS x")

        kind[f"sql_{name}"] = position


def where(kind: dict[str, Position], **texts: str) -> None:
    """The same in a WHERE."""
    for name, text in texts.items():

        def position(spark: Any, people: Any, constant: str, text: str = text) -> Any:
            return people.where(text.replace("{n}", str(digits(constant))).replace("{}", constant)).select(
                "id"
            )

        kind[f"where_{name}"] = position


def statement(kind: dict[str, Position], *, since: int = 3, **texts: str) -> None:
    """Positions in statements, separated by semicolons; ``{t}`` is a name for a table."""
    for name, text in texts.items():

        def position(spark: Any, people: Any, constant: str, text: str = text, name: str = name) -> None:
            if int(spark.version[0]) < since:
                return
            # Each time another table: a job that writes the same one again replaces what was known of it.
            table = f"t_{name}_again" if spark.catalog.tableExists(f"t_{name}") else f"t_{name}"
            filled = text.replace("{t}", table).replace("{out}", OUT[0]).replace("{n}", str(digits(constant)))
            for each in filled.replace("{}", constant).split(";"):
                spark.sql(each)

        kind[f"statement_{name}"] = position


select(
    VALUES,
    literal="'{}'",
    number="{n}",
    decimal="{n}.25BD",
    double="{n}.5D",
    escaped="'it\\'s {}'",
    raw="r'{}'",
    binary="X'{n}0'",
    interval="interval {n} seconds",
    concat="concat(name, '{}')",
    bars="name || '{}'",
    arithmetic="id + {n}",
    coalesce="coalesce(name, '{}')",
    nvl="nvl(name, '{}')",
    nvl2="nvl2(name, '{}', name)",
    ifnull="ifnull(name, '{}')",
    nullif="nullif(name, '{}')",
    greatest="greatest(name, '{}')",
    if_="if(id > 1, '{}', name)",
    case="CASE WHEN id > 1 THEN '{}' ELSE name END",
    otherwise="CASE WHEN id > 1 THEN name ELSE '{}' END",
    simple_case="CASE id WHEN 1 THEN '{}' END",
    decode="decode(name, 'a', '{}', name)",
    map="map('{}', name)",
    map_value="map(name, '{}')",
    map_looked_up="map('a', '{}')[name]",
    array="array('{}', name)",
    struct="struct(name, '{}' AS y)",
    named_struct="named_struct('y', '{}')",
    replace="replace(name, 'a', '{}')",
    searched="replace(name, '{}', 'a')",
    regexp_replace="regexp_replace(name, 'a', '{}')",
    pattern="regexp_extract(name, '{}', 0)",
    translate="translate(name, 'a', '{}')",
    lpad="lpad(name, 50, '{}')",
    format="format_string('%s {}', name)",
    printf="printf('{} %s', name)",
    date_format="date_format(current_date(), \"'{}' yyyy\")",
    to_date="try_to_timestamp(name, \"'{}' yyyy\")",
    split="split(name, '{}')",
    transform="transform(items, i -> concat(i, '{}'))",
    aggregate="aggregate(items, '{}', (a, i) -> concat(a, i))",
    append="array_append(items, '{}')",
    repeat="array_repeat('{}', 2)",
    remove="array_remove(items, '{}')",
    contains="array_contains(items, '{}')",
    join="array_join(items, '{}')",
    zip="arrays_zip(items, array('{}'))",
    sequence="sequence({n}, {n} + 1)",
    json_text="from_json('{\"a\": \"{}\"}', 'a STRING')",
    json_schema="from_json(json, 'a STRING COMMENT \"{}\"')",
    json_document="get_json_object('{\"a\": \"{}\"}', '$.a')",
    to_json="to_json(struct('{}' AS y))",
    hash="sha2('{}', 256)",
    masked="mask(concat(name, '{}'))",
    encrypt="aes_encrypt(name, lpad('{}', 16, 'x'))",
    cast="cast('{}' AS string)",
    typed_cast="try_cast('{}' AS int)",
    subquery="(SELECT '{}')",
    subquery_of_table="(SELECT max(concat(p.name, '{}')) FROM people p)",
    window="lag(name, 1, '{}') OVER (ORDER BY id)",
    window_of="max(concat(name, '{}')) OVER (PARTITION BY id)",
    exploded="explode(array('{}', name))",
    stacked="stack(2, '{}', name)",
    inlined="inline(array(struct('{}' AS y)))",
    comment="name /* {} */",
    url="parse_url('http://{}/a', 'HOST')",
    default_of_element="nvl(try_element_at(items, 5), '{}')",
)
statement(
    VALUES,
    insert="CREATE TABLE {t} (a STRING, b INT) USING parquet; INSERT INTO {t} VALUES ('{}', {n})",
    insert_select="CREATE TABLE {t} (a STRING) USING parquet; INSERT INTO {t} SELECT '{}' FROM people WHERE id > 0",
    overwrite="CREATE TABLE {t} (a STRING) USING parquet; INSERT OVERWRITE {t} SELECT concat(name, '{}') FROM people",
    default="CREATE TABLE {t} (a STRING, b STRING DEFAULT '{}') USING parquet; INSERT INTO {t} (a) SELECT name FROM people",
    column_comment="CREATE TABLE {t} (a STRING COMMENT '{}') USING parquet; INSERT INTO {t} SELECT name FROM people",
    table_comment="CREATE TABLE {t} USING parquet COMMENT '{}' AS SELECT name FROM people; INSERT INTO {t} SELECT name FROM people",
    properties="CREATE TABLE {t} USING parquet TBLPROPERTIES ('k' = '{}') AS SELECT name FROM people; INSERT INTO {t} SELECT 'a'",
    options="CREATE TABLE {t} USING parquet OPTIONS (k '{}') AS SELECT name FROM people",
    ctas="CREATE TABLE {t} USING parquet AS SELECT name, '{}' AS x, {n} AS y FROM people",
    values="CREATE TABLE {t} USING parquet AS SELECT * FROM VALUES ('{}', {n}), ('b', 2) AS v(a, b)",
    view="CREATE VIEW {t} AS SELECT id, '{}' AS x FROM t_for_views; CREATE TABLE {t}_of USING parquet AS SELECT * FROM {t}",
    temporary_view="CREATE TEMP VIEW {t} AS SELECT '{}' AS x; CREATE TABLE {t}_of USING parquet AS SELECT * FROM {t}",
    cte="CREATE TABLE {t} USING parquet AS WITH c AS (SELECT id, '{}' AS x FROM people) SELECT * FROM c",
    comment="CREATE TABLE {t} USING parquet AS SELECT name FROM people -- {}",
    union="CREATE TABLE {t} USING parquet AS SELECT name FROM people UNION ALL SELECT '{}'",
    lateral="CREATE TABLE {t} USING parquet AS SELECT p.id, l.x FROM people p, LATERAL (SELECT concat(p.name, '{}') AS x) l",
    exploded="CREATE TABLE {t} USING parquet AS SELECT id, x FROM people LATERAL VIEW explode(array('{}')) v AS x",
    grouped="CREATE TABLE {t} USING parquet AS SELECT concat(name, '{}') AS x, count(*) AS n FROM people GROUP BY concat(name, '{}')",
    sorted="CREATE TABLE {t} USING parquet AS SELECT name FROM people ORDER BY concat(name, '{}')",
    directory="INSERT OVERWRITE DIRECTORY '{out}/{t}' USING parquet SELECT '{}' AS x FROM people",
)
statement(
    VALUES,
    since=4,
    variable="DECLARE VARIABLE {t} STRING DEFAULT '{}'; CREATE TABLE {t}_of USING parquet AS SELECT {t} AS x, name FROM people",
    variable_set="DECLARE VARIABLE {t} STRING; SET VAR {t} = '{}'; CREATE TABLE {t}_of USING parquet AS SELECT {t} AS x FROM people",
    immediate="EXECUTE IMMEDIATE 'CREATE TABLE {t} USING parquet AS SELECT ? AS x FROM people' USING '{}'",
    pipe="CREATE TABLE {t} USING parquet AS FROM people |> EXTEND concat(name, '{}') AS x |> SELECT id, x",
    recursive="CREATE TABLE {t} USING parquet AS WITH RECURSIVE r(x, n) AS (SELECT '{}', 1 UNION ALL SELECT x, n + 1 FROM r WHERE n < 3) SELECT * FROM r",
)  # fmt: skip


@of(VALUES)
def lit(spark: Any, people: Any, constant: str) -> Any:
    from pyspark.sql import functions as F

    return people.withColumn("x", F.lit(constant)).withColumn("y", F.lit(digits(constant)))


@of(VALUES)
def lit_of_a_list(spark: Any, people: Any, constant: str) -> Any:
    from pyspark.sql import functions as F

    return people.select("id", F.array(F.lit(constant)).alias("x"), F.lit([constant]).alias("y"))


@of(VALUES)
def a_map_of_collected_pairs(spark: Any, people: Any, constant: str) -> Any:
    from pyspark.sql import functions as F

    known = F.create_map(F.lit("a"), F.lit(constant), F.lit(constant), F.lit("b"))
    return people.withColumn("x", known[F.col("name")]).where(known[F.col("name")] != "c")


@of(VALUES)
def when(spark: Any, people: Any, constant: str) -> Any:
    from pyspark.sql import functions as F

    return people.select("id", F.when(F.col("id") > 1, constant).otherwise(F.lit(constant + "x")).alias("x"))


@of(VALUES)
def fill(spark: Any, people: Any, constant: str) -> Any:
    return people.select("id", "name").fillna(constant).fillna(digits(constant)).fillna({"name": constant})


@of(VALUES)
def replaced_by(spark: Any, people: Any, constant: str) -> Any:
    return people.select("id", "name").replace("a", constant).replace({"b": constant}, subset=["name"])


@of(VALUES)
def with_field(spark: Any, people: Any, constant: str) -> Any:
    from pyspark.sql import functions as F

    return people.select(F.struct("id").withField("x", F.lit(constant)).alias("x"))


@of(VALUES)
def rows(spark: Any, people: Any, constant: str) -> Any:
    return spark.createDataFrame([(constant, digits(constant))], "a string, b long")


@of(VALUES)
def rows_joined(spark: Any, people: Any, constant: str) -> Any:
    return people.join(spark.createDataFrame([(constant, 1)], "a string, id long"), "id").select("id", "a")


@of(VALUES)
def named_arguments(spark: Any, people: Any, constant: str) -> Any:
    return spark.sql("SELECT id, :given AS x FROM people", args={"given": constant})


@of(VALUES)
def positional_arguments(spark: Any, people: Any, constant: str) -> Any:
    return spark.sql("SELECT id, ? AS x FROM people", args=[constant])


@of(VALUES)
def a_function_and_its_argument(spark: Any, people: Any, constant: str) -> Any:
    from pyspark.sql import functions as F

    joined = F.udf(lambda name, more: f"{name}{more}{constant}", "string")
    return people.select("id", joined("name", F.lit(constant)).alias("x"))


@of(VALUES)
def metadata(spark: Any, people: Any, constant: str) -> Any:
    from pyspark.sql import functions as F

    return people.select("id", F.col("name").alias("x", metadata={"comment": constant, "k": constant}))


@of(VALUES)
def pivoted(spark: Any, people: Any, constant: str) -> Any:
    from pyspark.sql import functions as F

    return people.groupBy("id").pivot("name", ["a"]).agg(F.max(F.concat("name", F.lit(constant))))


@of(VALUES)
def unpivoted(spark: Any, people: Any, constant: str) -> Any:
    from pyspark.sql import functions as F

    made = people.select("id", "name", F.lit(constant).alias("y"))
    return made.unpivot(["id"], ["name", "y"], "k", "v")


@of(VALUES)
def shown(spark: Any, people: Any, constant: str) -> None:
    from pyspark.sql import functions as F

    people.select("id", F.concat("name", F.lit(constant)).alias("x")).collect()
    people.select("id", F.lit(constant).alias("x")).limit(1).toPandas()


@of(VALUES)
def described(spark: Any, people: Any, constant: str) -> Any:
    spark.sparkContext.setJobGroup(constant, constant)
    spark.sparkContext.setJobDescription(constant)
    people.write.mode("overwrite").parquet(f"{OUT[0]}/described_job")
    spark.sparkContext.setJobDescription(None)


@of(VALUES)
def option(spark: Any, people: Any, constant: str) -> None:
    people.select("id", "name").write.mode("overwrite").option("nullValue", constant).csv(
        f"{OUT[0]}/option_of"
    )
    options = {"nullValue": constant, "emptyValue": constant}
    read = spark.read.options(**options).schema("id long, name string").csv(f"{OUT[0]}/option_of")
    read.write.mode("overwrite").parquet(f"{OUT[0]}/option_read")


@of(VALUES)
def rdd(spark: Any, people: Any, constant: str) -> Any:
    return people.select("id").rdd.map(lambda row: (row.id, constant)).toDF(["id", "x"])


@of(VALUES)
def pandas(spark: Any, people: Any, constant: str) -> Any:
    return people.select("id", "name").mapInPandas(
        lambda frames: (frame.assign(name=constant) for frame in frames), "id long, name string"
    )


@of(VALUES)
def cached(spark: Any, people: Any, constant: str) -> Any:
    from pyspark.sql import functions as F

    return people.select("id", F.lit(constant).alias("x")).localCheckpoint().where("id > 0")


@of(VALUES)
def stream(spark: Any, people: Any, constant: str) -> None:
    from pyspark.sql import functions as F

    people.select("id", "name").write.mode("overwrite").parquet(f"{OUT[0]}/stream_in")
    read = spark.readStream.schema("id long, name string").parquet(f"{OUT[0]}/stream_in")
    writer = read.select("id", F.concat("name", F.lit(constant)).alias("x")).writeStream.trigger(
        availableNow=True
    )
    writer.option("checkpointLocation", f"{OUT[0]}/stream_marks").start(
        f"{OUT[0]}/stream_out"
    ).awaitTermination()


def failing(name: str, position: Position) -> None:
    """A write that fails with a message that holds the constant."""

    def write(spark: Any, people: Any, constant: str) -> None:
        spark.conf.set("spark.sql.ansi.enabled", "true")
        try:
            position(spark, people, constant).limit(1).write.mode("overwrite").parquet(
                f"{OUT[0]}/failing_{name}"
            )
        except Exception as e:  # noqa: BLE001 - it is there to fail
            print("caught", type(e).__name__)
        finally:
            spark.conf.unset("spark.sql.ansi.enabled")

    VALUES[f"failing_{name}"] = write


def _raising(text: str) -> Position:
    def position(spark: Any, people: Any, constant: str) -> Any:
        return people.selectExpr("id", text.replace("{}", constant) + " AS x")

    return position


def _raises(value: int, constant: str) -> str:
    raise ValueError(f"no {constant} for {value}")


def _python(spark: Any, people: Any, constant: str) -> Any:
    from pyspark.sql import functions as F

    return people.select("id", F.udf(_raises, "string")("id", F.lit(constant)).alias("x"))


def _of_rows(spark: Any, people: Any, constant: str) -> Any:
    return (
        people.selectExpr("id", "concat('', '" + constant + "') AS x")
        .repartition(1)
        .selectExpr("x::int AS x")
    )


failing("raise_error", _raising("raise_error(concat(name, '{}'))"))
failing("assert", _raising("assert_true(id < 0, '{}')"))
failing("cast", _raising("cast(concat(name, '{}') AS int)"))
failing("cast_of_a_constant", _raising("cast('{}' AS date)"))
failing("timestamp", _raising("to_timestamp(concat(name, '{}'), 'yyyy')"))
failing("map_key", _raising("map(concat(name, '{}'), 1, concat(name, '{}'), 2)"))
failing("json", _raising("from_json(concat(name, '{}'), 'a int', map('mode', 'FAILFAST'))"))
failing("python", _python)
failing("rows", _of_rows)

where(
    COMPARED,
    equal="name = '{}'",
    number="id < {n}",
    among="name IN ('a', '{}')",
    like="name LIKE '%{}%'",
    between="name BETWEEN '{}' AND 'zz'",
    negated="NOT (name <=> '{}' OR name > '{}')",
    function="startswith(name, '{}')",
    key="props['{}'] IS NOT NULL",
)
select(
    COMPARED,
    case_when="CASE WHEN name = '{}' THEN id END",
    comparison="name = '{}'",
    key="props['{}']",
    json_path="get_json_object(json, '$.{}')",
    filtered="filter(items, i -> i = '{}')",
)
statement(
    COMPARED,
    where="CREATE TABLE {t} USING parquet AS SELECT name FROM people WHERE name = '{}' AND id IN ({n}, 1)",
    joined="CREATE TABLE {t} USING parquet AS SELECT p.name FROM people p JOIN people q ON p.id = q.id AND q.name = '{}'",
    having="CREATE TABLE {t} USING parquet AS SELECT name FROM people GROUP BY name HAVING max(name) > '{}'",
    exists="CREATE TABLE {t} USING parquet AS SELECT name FROM people p WHERE EXISTS (SELECT 1 FROM people q WHERE q.name = '{}')",
)
OUT: list[str] = []


def _data(spark: Any, out: str) -> Any:
    columns = (
        "concat('n', id) AS name",
        "map('k', 'v') AS props",
        "array('i') AS items",
        "'{\"k\": 1}' AS json",
    )
    spark.range(3).selectExpr("id", *columns).write.parquet(f"{out}/people")
    people = spark.read.parquet(f"{out}/people")
    people.createOrReplaceTempView("people")
    spark.sql("CREATE TABLE t_for_views USING parquet AS SELECT id FROM people")
    return people


def _planted(spark: Any, people: Any, name: str, position: Position) -> list[tuple[str, Any]]:
    try:
        made = position(spark, people, planted(name))
        print("planted", name)
        return [] if made is None else [(name, made)]
    except Exception as e:  # noqa: BLE001 - the next position is tried
        print("refused", name, type(e).__name__, str(e)[:300])
        return []


def _write(frames: list[tuple[str, Any]], out: str) -> None:
    """All that was made, in few writes: a union of JSON texts is enough for each constant to pass through a plan."""
    from functools import reduce

    texts = [(name, frame.selectExpr("to_json(struct(*)) AS row")) for name, frame in frames]
    for i in range(0, len(texts), 12):
        some = [frame for _, frame in texts[i : i + 12]]
        try:
            reduce(lambda a, b: a.unionAll(b), some).write.parquet(f"{out}_{i}")
        except Exception as e:  # noqa: BLE001 - what was planned has left
            print("failed", [name for name, _ in texts[i : i + 12]], type(e).__name__, str(e)[:300])


def main(out: str, *only: str) -> None:
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.appName("Constants").getOrCreate()
    OUT.append(out)
    people = _data(spark, out)
    for kind, before in ((COMPARED, ""), (VALUES, ""), (COMPARED, AFTER)):
        made = []
        for name, position in kind.items():
            if not only or name in only:
                made += _planted(spark, people, before + name, position)
        _write(made, f"{out}/{before}{len(kind)}")
        if kind is VALUES:
            people.select("name").limit(1).collect()
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
