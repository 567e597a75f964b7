"""Channels inside a plan: what queries do with rows, with Spark's functions and with Python's."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
import pyarrow as pa
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from oracle.channels.program import SCHEMA, Program, of_spark_4


def select(program: Program) -> DataFrame:
    return program.frame().select("id", F.col("b").alias("a"), F.upper("a").alias("b"))


def constant(program: Program) -> DataFrame:
    return program.frame().withColumn(program.random.choice("ab"), F.lit("none"))


def filtered(program: Program) -> DataFrame:
    return program.frame().filter(F.length("a") > 3)


def concat(program: Program) -> DataFrame:
    return program.frame().withColumn("a", F.concat_ws("-", "a", "b"))


def pack(program: Program) -> DataFrame:
    return program.frame().withColumn("a", F.to_json(F.struct("a", "b"))).withColumn("b", F.lit("x"))


def unpack(program: Program) -> DataFrame:
    rows = program.frame()
    packed = rows.withColumn("j", F.to_json(F.struct("a", "b")))
    return packed.select(
        "id", F.get_json_object("j", "$.a").alias("a"), F.from_json("j", "b string").getField("b").alias("b")
    )


def joined(program: Program) -> DataFrame:
    left, right = program.frame(), program.frame()
    return (
        left.alias("l")
        .join(right.alias("r"), "id", program.random.choice(["inner", "left"]))
        .select("id", F.col("l.a").alias("a"), F.col("r.b").alias("b"))
    )


def grouped(program: Program) -> DataFrame:
    return (
        program.frame()
        .groupBy("id")
        .agg(F.concat_ws(",", F.collect_list("a")).alias("a"), F.max("b").alias("b"))
    )


def exists(program: Program) -> DataFrame:
    left, right = program.frame(), program.frame()
    return left.join(right, "id", "left_semi")


def windowed(program: Program) -> DataFrame:
    return program.frame().select(
        "id",
        F.lag("a", 1, "first").over(Window.orderBy("id")).alias("a"),
        F.first("b").over(Window.partitionBy("id").orderBy("a")).alias("b"),
    )


def union(program: Program) -> DataFrame:
    return program.frame().unionByName(program.frame())


def udf(program: Program) -> DataFrame:
    def upper(text: str | None) -> str | None:
        return None if text is None else text.upper()

    return program.frame().withColumn("a", F.udf(upper)("a"))


def pandas(program: Program) -> DataFrame:
    def swap(frames: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for each in frames:
            yield each.rename(columns={"a": "b", "b": "a"})[["id", "a", "b"]]

    return program.frame().mapInPandas(swap, SCHEMA)


def cache(program: Program) -> DataFrame:
    return program.frame().cache()


def checkpoint(program: Program) -> DataFrame:
    return program.frame().checkpoint()


def local_checkpoint(program: Program) -> DataFrame:
    return program.frame().localCheckpoint(program.random.random() < 0.5)


def unpivot(program: Program) -> DataFrame:
    return program.frame().unpivot("id", ["a", "b"], "a", "b")


def pivot(program: Program) -> DataFrame:
    rows = program.frame().withColumn("k", F.concat(F.lit("k"), F.col("id") % 2))
    pivoted = rows.groupBy("id").pivot("k", ["k0", "k1"]).agg(F.max("a"))
    return pivoted.select("id", F.coalesce("k0", "k1").alias("a"), F.lit("p").alias("b"))


def pivot_values(program: Program) -> DataFrame:
    rows = program.frame()
    pivoted = rows.groupBy("id").pivot("a").agg(F.max("b"))
    names = [each for each in pivoted.columns if each != "id"][:3]
    return pivoted.select(
        "id", F.to_json(F.struct(*[F.col(f"`{each}`") for each in names])).alias("a"), F.lit("pv").alias("b")
    )


def explode_map(program: Program) -> DataFrame:
    return (
        program.frame()
        .select("id", F.explode(F.create_map("a", "b")))
        .select("id", F.col("value").alias("a"), F.col("key").alias("b"))
    )


def lambdas(program: Program) -> DataFrame:
    return program.frame().select(
        "id",
        F.transform(F.array("a", "b"), lambda x: F.concat(x, F.lit("!")))[0].alias("a"),
        F.array_max(F.array("a", "b")).alias("b"),
    )


def intersect(program: Program) -> DataFrame:
    left, right = program.frame(), program.frame()
    return left.select("id", "a").subtract(right.select("id", "a")).withColumn("b", F.lit("sub"))


def sample(program: Program) -> DataFrame:
    return program.frame().orderBy("a").limit(3)


def struct_star(program: Program) -> DataFrame:
    return program.frame().select(F.struct("*").alias("s")).select("s.id", "s.b", "s.a").toDF("id", "a", "b")


@of_spark_4
def variant(program: Program) -> DataFrame:
    return program.frame().select(
        "id",
        F.variant_get(F.parse_json(F.to_json(F.struct("a", "b"))), "$.b", "string").alias("a"),
        F.lit("vr").alias("b"),
    )


def describe(program: Program) -> DataFrame:
    rows = program.frame()
    figures = rows.summary("min", "max").select("summary", "a", "b")
    return figures.select(F.lit(1).cast("long").alias("id"), "a", "b")


def freq_items(program: Program) -> DataFrame:
    return (
        program.frame()
        .freqItems(["a", "b"])
        .select(
            F.lit(1).cast("long").alias("id"),
            F.concat_ws(",", "a_freqItems").alias("a"),
            F.concat_ws(",", "b_freqItems").alias("b"),
        )
    )


def replace(program: Program) -> DataFrame:
    return program.frame().replace("zqnamea", "other").fillna("none")


def rollup(program: Program) -> DataFrame:
    return program.frame().rollup("a", "b").agg(F.max("id").alias("id")).select("id", "a", "b")


def cube(program: Program) -> DataFrame:
    return (
        program.frame().cube("a").agg(F.max("id").alias("id"), F.min("b").alias("b")).select("id", "a", "b")
    )


def apply_pandas(program: Program) -> DataFrame:
    return program.frame().groupBy("id").applyInPandas(lambda p: p.assign(a=p.b, b=p.a), SCHEMA)


def cogroup(program: Program) -> DataFrame:
    left, right = program.frame(), program.frame()

    def both(x: pd.DataFrame, y: pd.DataFrame) -> pd.DataFrame:
        return pd.DataFrame(
            {
                "id": x["id"].head(1).tolist() or y["id"].head(1).tolist(),
                "a": x["a"].head(1).tolist() or [None],
                "b": y["b"].head(1).tolist() or [None],
            }
        )

    return left.groupBy("id").cogroup(right.groupBy("id")).applyInPandas(both, SCHEMA)


def map_arrow(program: Program) -> DataFrame:

    def same(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from batches

    return program.frame().mapInArrow(same, SCHEMA)


def pandas_udf(program: Program) -> DataFrame:

    def upper(texts: pd.Series) -> pd.Series:
        return texts.str.upper()

    return program.frame().withColumn("b", F.pandas_udf(upper, "string")("a"))


def pandas_agg(program: Program) -> DataFrame:

    def last(texts: pd.Series) -> str:
        return str(texts.dropna().max()) if len(texts.dropna()) else ""

    greatest = F.pandas_udf(last, "string")
    return program.frame().groupBy("id").agg(greatest("a").alias("a"), F.first("b").alias("b"))


def pandas_api(program: Program) -> DataFrame:
    found = program.frame().pandas_api()
    found["a"] = found["a"].str.upper()
    return found.to_spark().select("id", "a", "b")


def max_by(program: Program) -> DataFrame:
    return program.frame().groupBy("id").agg(F.max_by("a", "b").alias("a"), F.mode("b").alias("b"))


def nested(program: Program) -> DataFrame:
    rows = program.frame()
    whole = rows.groupBy().agg(F.collect_list(F.struct("id", "a", "b")).alias("l"))
    return whole.select(F.inline("l")).select("id", "a", "b")


def map_entries(program: Program) -> DataFrame:
    rows = program.frame()
    whole = rows.groupBy("id").agg(
        F.map_from_entries(F.collect_set(F.struct(F.coalesce("a", F.lit("n")), "b"))).alias("m")
    )
    return whole.select("id", F.explode("m")).select("id", F.col("key").alias("a"), F.col("value").alias("b"))


def higher(program: Program) -> DataFrame:
    return program.frame().select(
        "id",
        F.aggregate(F.array("a", "b"), F.lit(""), lambda x, y: F.concat(x, F.coalesce(y, F.lit("")))).alias(
            "a"
        ),
        F.array_join(F.filter(F.array("a", "b"), lambda x: F.length(x) > 2), "+").alias("b"),
    )


def coalesced(program: Program) -> DataFrame:
    left, right = program.frame(), program.frame()
    return (
        left.alias("l")
        .join(right.alias("r"), "id", "full")
        .select(
            "id",
            F.coalesce("l.a", "r.a").alias("a"),
            F.when(F.col("l.b").isNull(), F.col("r.b")).otherwise("full").alias("b"),
        )
    )


def cross(program: Program) -> DataFrame:
    left, right = program.frame(), program.frame()
    return left.select("id", "a").crossJoin(right.agg(F.max("b").alias("b")))


def intersected(program: Program) -> DataFrame:
    left, right = program.frame(), program.frame()
    return left.unionAll(right).intersectAll(left.unionAll(right)).dropDuplicates(["id", "a"])


def aes(program: Program) -> DataFrame:
    key = "0000111122223333"
    return program.frame().select(
        "id",
        F.aes_decrypt(F.aes_encrypt("a", F.lit(key)), F.lit(key)).cast("string").alias("a"),
        F.unbase64(F.base64(F.encode(F.col("b"), "UTF-8"))).cast("string").alias("b"),
    )


def regexp(program: Program) -> DataFrame:
    return program.frame().select(
        "id", F.regexp_extract("a", "(.*)", 1).alias("a"), F.regexp_replace("b", "^", "<").alias("b")
    )


def parsed(program: Program) -> DataFrame:
    return program.frame().select(
        "id",
        F.parse_url(F.concat(F.lit("http://h/"), F.col("a"), F.lit("?q="), F.col("b")), F.lit("PATH")).alias(
            "a"
        ),
        F.url_decode(F.url_encode("b")).alias("b"),
    )


def str_map(program: Program) -> DataFrame:
    return program.frame().select(
        "id",
        F.str_to_map(F.concat_ws(",", F.concat(F.lit("k:"), "a"), F.concat(F.lit("l:"), "b")))["l"].alias(
            "a"
        ),
        F.element_at(F.split(F.concat_ws(";", "a", "b"), ";"), 1).alias("b"),
    )


def csv_text(program: Program) -> DataFrame:
    return (
        program.frame()
        .select("id", F.from_csv(F.to_csv(F.struct("a", "b")), "x string, y string").alias("s"))
        .select("id", F.col("s.y").alias("a"), F.col("s.x").alias("b"))
    )


def rdd(program: Program) -> DataFrame:
    return program.frame().rdd.map(lambda row: (row[0], row[2], row[1])).toDF(SCHEMA)


def rdd_schema(program: Program) -> DataFrame:
    rows = program.frame()
    return program.spark.createDataFrame(rows.rdd, rows.schema)


def rdd_pairs(program: Program) -> DataFrame:
    left, right = (
        program.frame().rdd.map(lambda x: (x[0], x[1])),
        program.frame().rdd.map(lambda x: (x[0], x[2])),
    )
    return left.join(right).map(lambda t: (t[0], t[1][0], t[1][1])).toDF(SCHEMA)


def json_read(program: Program) -> DataFrame:
    rows = program.frame()
    return program.spark.read.schema(SCHEMA).json(rows.toJSON())


def cogroup_rdd(program: Program) -> DataFrame:
    left = program.frame().rdd.map(lambda row: (row[0], row[1]))
    right = program.frame().rdd.map(lambda row: (row[0], row[2]))
    return (
        left.cogroup(right)
        .map(lambda t: (t[0], ",".join(str(x) for x in t[1][0]), ",".join(str(x) for x in t[1][1])))
        .toDF(SCHEMA)
    )


def piped(program: Program) -> DataFrame:
    return (
        program.frame()
        .rdd.map(lambda row: f"{row[0]}|{row[1]}|{row[2]}")
        .pipe("cat")
        .map(lambda line: line.split("|"))
        .map(lambda x: (int(x[0]), x[1], x[2]))
        .toDF(SCHEMA)
    )


def rdd_checkpoint(program: Program) -> DataFrame:
    kept = program.frame().rdd.map(tuple)
    kept.checkpoint()
    kept.count()
    return kept.toDF(SCHEMA)


def udtf(program: Program) -> DataFrame:

    class Twice:
        def eval(self, a: str) -> Iterator[tuple[str]]:
            yield (a,)
            yield (a,)

    twice = program.name()
    program.spark.udtf.register(twice, F.udtf(Twice, returnType="x: string"))
    return program.spark.sql(f"SELECT id, x AS a, b FROM {program.view()}, LATERAL {twice}(a)")
