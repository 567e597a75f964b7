"""Small jobs over nested data, one per operator and expression family: run as a script under any Spark, with the
eye capturing, they give the plan documents that decoder and tests work on.

    python tests/kit/plan_jobs.py OUT_DIRECTORY [job …]

writes ``OUT_DIRECTORY/<job>.ndjson``: the application's document, then each document of that job's executions.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

ROOT = Path(__file__).resolve().parents[2]
JAR = ROOT / "integration" / "headwater_spark" / "jars" / "headwater-spark.jar"
TWEETS = ROOT.parent / "shared" / "data" / "tweets" / "tweets.ndjson"

Job = Callable[["Lab"], Any]
JOBS: dict[str, Job] = {}


def job(function: Job) -> Job:
    JOBS[function.__name__] = function
    return function


class Lab:
    """A session, the folder to write to, and the data that the jobs share."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.spark = spark
        self.folder = folder

    def path(self, name: str) -> str:
        return str(self.folder / name)

    def save(self, frame: DataFrame, name: str) -> None:
        frame.write.mode("overwrite").parquet(self.path(name))

    @property
    def tweets(self) -> DataFrame:
        return self.spark.read.parquet(self.path("tweets"))

    @property
    def orders(self) -> DataFrame:
        return self.spark.read.parquet(self.path("orders"))

    @property
    def people(self) -> DataFrame:
        return self.spark.read.parquet(self.path("people"))

    def prepare(self) -> None:
        self.spark.read.json(str(TWEETS)).coalesce(1).write.parquet(self.path("tweets"))
        self.spark.createDataFrame(
            [
                (
                    1,
                    10,
                    [("a", 2, 1.5), ("b", 1, 9.0)],
                    {"k": "v", "l": "w"},
                    '{"x": 1, "y": {"z": "t"}}',
                    "2024-01-01",
                )
            ],
            "id int, person int, items array<struct<sku:string,qty:int,price:double>>,"
            " props map<string,string>, doc string, day string",
        ).coalesce(1).write.parquet(self.path("orders"))
        self.spark.createDataFrame(
            [(10, ("Ann", "ann@example.org"), ("Bern", "3000")), (11, ("Bob", None), ("Basel", "4000"))],
            "id int, name struct<first:string,mail:string>, address struct<city:string,zip:string>",
        ).coalesce(1).write.parquet(self.path("people"))


def running_example(tweets: DataFrame) -> DataFrame:
    upper = tweets.where("retweet_count = 0").select(
        "text", F.col("user.id_str").alias("id_str"), F.col("user.name").alias("name")
    )
    lower = tweets.select("text", F.explode("entities.user_mentions").alias("mention")).select(
        "text", "mention.id_str", "mention.name"
    )
    both = upper.union(lower).select("text", F.struct("id_str", "name").alias("user"))
    return both.groupBy("user").agg(F.collect_list(F.struct("text")).alias("tweets"))


@job
def example_json_to_parquet(lab: Lab) -> None:
    lab.save(running_example(lab.spark.read.json(str(TWEETS))), "example1")


@job
def example_parquet_to_json(lab: Lab) -> None:
    running_example(lab.tweets).write.mode("overwrite").json(lab.path("example2"))


@job
def example_parquet_to_table(lab: Lab) -> None:
    running_example(lab.tweets).write.mode("overwrite").saveAsTable("mentions")


@job
def select_struct(lab: Lab) -> None:
    frame = lab.people.select(
        "id", "name.*", F.struct("address.city", F.col("name.mail").alias("m")).alias("s")
    )
    lab.save(frame.withColumn("whole", F.col("s")), "select_struct")


@job
def with_field(lab: Lab) -> None:
    changed = F.col("address").withField("city", F.upper("address.city")).dropFields("zip")
    lab.save(
        lab.people.withColumn("address", changed).withColumnRenamed("id", "key").drop("name"), "with_field"
    )


@job
def array_access(lab: Lab) -> None:
    frame = lab.orders.select(
        F.col("items.sku").alias("skus"),
        F.col("items")[0]["price"].alias("first"),
        F.element_at("items", -1).alias("last"),
        F.col("props")["k"].alias("k"),
        F.map_keys("props").alias("keys"),
        F.array_sort(F.col("items.qty")).alias("sorted"),
        F.arrays_zip(F.col("items.sku"), F.col("items.qty")).alias("zipped"),
        F.size("items").alias("n"),
    )
    lab.save(frame, "array_access")


@job
def explode_posexplode_inline(lab: Lab) -> None:
    lab.save(lab.orders.select("id", F.explode("items").alias("item")).select("id", "item.*"), "explode")
    lab.save(lab.orders.select("id", F.posexplode("items").alias("pos", "item")), "posexplode")
    lab.save(lab.orders.select("id", F.inline("items")), "inline")
    lab.save(lab.orders.select("id", F.explode_outer("props").alias("k", "v")), "explode_map")


@job
def lateral_view(lab: Lab) -> None:
    lab.orders.createOrReplaceTempView("orders_view")
    sql = (
        "SELECT id, i.sku, k, v FROM orders_view"
        " LATERAL VIEW explode(items) x AS i LATERAL VIEW OUTER explode(props) y AS k, v"
    )
    lab.save(lab.spark.sql(sql), "lateral_view")


@job
def joins(lab: Lab) -> None:
    orders, people = lab.orders, lab.people
    on = orders.person == people.id
    lab.save(orders.join(people, on).select(orders.id, people.name, "day"), "join_inner")
    keyed = people.withColumnRenamed("id", "person")
    lab.save(orders.join(keyed, ["person"], "left"), "join_left_using")
    lab.save(orders.join(keyed, ["person"], "full"), "join_full_using")
    lab.save(orders.join(people, on, "left_semi"), "join_semi")
    lab.save(orders.join(people, on, "left_anti"), "join_anti")
    lab.save(orders.select("day").crossJoin(people.select("name")), "join_cross")
    lab.save(
        orders.alias("a").join(orders.alias("b"), F.expr("a.id = b.id")).select("a.id", "b.day"), "join_self"
    )


@job
def unions(lab: Lab) -> None:
    a = lab.people.select("id", F.col("name.first").alias("who"))
    b = lab.orders.select(F.col("day").alias("who"), F.col("person").alias("id"))
    lab.save(a.union(b.select("id", "who")), "union")
    lab.save(a.unionByName(b.withColumn("extra", F.lit(1)), allowMissingColumns=True), "union_by_name")
    lab.save(a.intersect(b.select("id", "who")), "intersect")
    lab.save(a.exceptAll(b.select("id", "who")), "except")


@job
def aggregates(lab: Lab) -> None:
    items = lab.orders.select("person", "day", F.explode("items").alias("i"))
    frame = items.groupBy("person", F.substring("day", 1, 4).alias("year")).agg(
        F.sum("i.price").alias("total"),
        F.count("*").alias("n"),
        F.countDistinct("i.sku").alias("skus"),
        F.min("i.qty").alias("least"),
        F.collect_list(F.struct("i.sku", "i.qty")).alias("parts"),
        F.expr("sum(i.qty) FILTER (WHERE i.price > 1)").alias("dear"),
        (F.max("i.price") - F.avg("i.price")).alias("spread"),
    )
    lab.save(frame.where("n > 0"), "aggregates")


@job
def rollup_cube_pivot(lab: Lab) -> None:
    items = lab.orders.select("person", "day", F.explode("items").alias("i")).select("person", "day", "i.*")
    lab.save(items.rollup("person", "day").agg(F.sum("price").alias("s")), "rollup")
    lab.save(items.groupBy("person").pivot("sku", ["a", "b"]).sum("price"), "pivot")
    items.createOrReplaceTempView("items_view")
    lab.save(
        lab.spark.sql(
            "SELECT person, day, grouping(day) g, count(*) c FROM items_view"
            " GROUP BY GROUPING SETS ((person), (person, day))"
        ),
        "grouping_sets",
    )
    lab.save(items.unpivot(["person"], ["qty", "price"], "what", "amount"), "unpivot")


@job
def windows(lab: Lab) -> None:
    by = Window.partitionBy("person").orderBy(F.desc("day"))
    frame = lab.orders.select("id", "person", "day").withColumn("rank", F.row_number().over(by))
    frame = frame.withColumn("before", F.lag("id").over(by)).withColumn(
        "running", F.sum("id").over(by.rowsBetween(Window.unboundedPreceding, 0))
    )
    lab.save(frame.where("rank = 1"), "windows")


@job
def sort_distinct_limit(lab: Lab) -> None:
    frame = (
        lab.people.select("id", "address")
        .distinct()
        .dropDuplicates(["id"])
        .orderBy(F.desc("address.zip"), "id")
    )
    lab.save(frame.limit(5), "sort_distinct_limit")
    lab.save(lab.people.sample(0.9, seed=1).repartition(2, "id").offset(1), "sample_repartition")


@job
def cte_and_views(lab: Lab) -> None:
    lab.people.createOrReplaceTempView("people_view")
    lab.save(
        lab.spark.sql(
            "WITH p AS (SELECT id, name.first AS who FROM people_view), q AS (SELECT * FROM p WHERE id > 1)"
            " SELECT q.who, p.id FROM q JOIN p ON q.id = p.id"
        ),
        "cte",
    )
    lab.people.write.mode("overwrite").saveAsTable("people_table")
    lab.spark.sql("CREATE OR REPLACE VIEW people_cities AS SELECT id, address.city AS city FROM people_table")
    lab.save(lab.spark.sql("SELECT city, count(*) AS n FROM people_cities GROUP BY city"), "view")


@job
def conditionals(lab: Lab) -> None:
    frame = lab.people.select(
        F.when(F.col("id") > 10, F.col("name.first"))
        .when(F.col("id") < 0, "none")
        .otherwise(F.col("address.city"))
        .alias("c"),
        F.coalesce("name.mail", "name.first", F.lit("?")).alias("d"),
        F.expr("if(id > 1, name, null)").alias("e"),
        F.expr("nvl(name.mail, 'x')").alias("f"),
        F.expr("nullif(id, 10)").alias("g"),
        F.sha2("name.mail", 256).alias("h"),
        F.col("id").cast("string").alias("i"),
        F.current_timestamp().alias("j"),
        F.concat_ws("-", "name.first", "address.zip").alias("k"),
    )
    lab.save(frame, "conditionals")


@job
def lambdas(lab: Lab) -> None:
    frame = lab.orders.select(
        F.transform("items", lambda i: F.struct(i.sku, (i.qty * i.price).alias("cost"))).alias("costs"),
        F.filter("items", lambda i: i.qty > 1).alias("many"),
        F.aggregate("items", F.lit(0.0), lambda acc, i: acc + i.price).alias("total"),
        F.exists("items", lambda i: i.sku == "a").alias("has"),
        F.transform_values("props", lambda k, v: F.concat(k, F.upper(v))).alias("joined"),
        F.zip_with(
            F.col("items.sku"), F.col("items.qty"), lambda a, b: F.struct(a.alias("a"), b.alias("b"))
        ).alias("z"),
    )
    lab.save(frame, "lambdas")


@job
def python_udf(lab: Lab) -> None:
    shout = F.udf(lambda text: text.upper() if text else None, "string")
    both = F.udf(lambda name, city: {"n": name, "c": city}, "struct<n:string,c:string>")
    frame = lab.people.select(
        "id", shout("name.first").alias("loud"), both(F.col("name.first"), F.col("address.city")).alias("b")
    )
    lab.save(frame, "python_udf")


@job
def pandas_udf(lab: Lab) -> None:
    import pandas
    import pyarrow  # noqa: F401

    def plus(column):  # type: ignore[no-untyped-def] # Spark reads the hints as objects, see below
        return column + 1

    plus.__annotations__ = {"column": pandas.Series, "return": pandas.Series}
    lab.save(lab.people.select(F.pandas_udf(plus, "long")("id").alias("p")), "pandas_udf")
    lab.save(lab.people.select("id").mapInPandas(lambda frames: frames, "id int"), "map_in_pandas")
    lab.save(
        lab.people.select("id").groupBy("id").applyInPandas(lambda frame: frame, "id int"), "apply_in_pandas"
    )


@job
def json_functions(lab: Lab) -> None:
    frame = lab.orders.select(
        F.from_json("doc", "struct<x:int,y:struct<z:string>>").alias("parsed"),
        F.to_json("items").alias("text"),
        F.get_json_object("doc", "$.y.z").alias("z"),
        F.json_tuple("doc", "x"),
    )
    lab.save(frame, "json_functions")


@job
def subqueries(lab: Lab) -> None:
    lab.people.createOrReplaceTempView("people_view")
    lab.orders.createOrReplaceTempView("orders_view")
    sql = lab.spark.sql
    lab.save(
        sql(
            "SELECT id, (SELECT max(day) FROM orders_view o WHERE o.person = p.id) AS last FROM people_view p"
        ),
        "scalar",
    )
    lab.save(
        sql("SELECT id FROM people_view p WHERE EXISTS (SELECT 1 FROM orders_view o WHERE o.person = p.id)"),
        "exists",
    )
    lab.save(sql("SELECT id FROM people_view WHERE id NOT IN (SELECT person FROM orders_view)"), "not_in")
    lab.save(
        sql(
            "SELECT p.id, l.day FROM people_view p, LATERAL (SELECT day FROM orders_view o WHERE o.person = p.id) l"
        ),
        "lateral",
    )


@job
def rdd_round_trip(lab: Lab) -> None:
    lab.save(lab.people.select("id").rdd.map(lambda row: (row.id + 1,)).toDF("id int"), "rdd")
    Path(lab.path("lines.txt")).write_text("a\nb\n")
    lines = lab.spark.sparkContext.textFile(lab.path("lines.txt")).map(lambda line: (line,))
    lab.save(lines.toDF("line string"), "rdd_text")


@job
def rdd_of_a_join(lab: Lab) -> None:
    """In each kind of join that brings rows by a broadcast, no dependency of the RDD leads to what was broadcast."""
    people = lab.people.select(F.col("id").alias("p"))
    for n, (hint, on) in enumerate(product(("broadcast", "merge"), ("person = p", "person < p"))):
        joined = lab.orders.join(people.hint(hint), F.expr(on), "left_semi").select("person")
        lab.save(joined.rdd.map(tuple).toDF("person int"), f"rdd_of_join_{n}")


@job
def tables(lab: Lab) -> None:
    lab.people.select("id", "address").write.mode("overwrite").saveAsTable("t_saved")
    sql = lab.spark.sql
    sql("CREATE TABLE t_ctas USING parquet AS SELECT id, address.city AS city FROM t_saved WHERE id > 10")
    sql("INSERT INTO t_ctas SELECT id + 1, address.zip FROM t_saved")
    sql("CREATE TABLE t_part (id INT, city STRING, day STRING) USING parquet PARTITIONED BY (day)")
    sql("INSERT OVERWRITE t_part PARTITION (day = '2024-01-01') SELECT id, city FROM t_ctas")
    sql("INSERT INTO t_part SELECT id, city, concat('d', id) FROM t_ctas")
    lab.people.write.mode("overwrite").partitionBy("id").json(lab.path("partitioned"))
    sql(f"INSERT OVERWRITE DIRECTORY '{lab.path('directory')}' USING csv SELECT id, city FROM t_ctas")


@job
def reads_only(lab: Lab) -> None:
    lab.people.where("id > 10").select("name.first").collect()
    lab.people.count()
    lab.spark.range(3).toDF("n").collect()


@job
def failing(lab: Lab) -> None:
    broken = F.udf(lambda _: 1 // 0, "int")
    try:
        lab.save(lab.people.select(broken("id").alias("x")), "failing")
    except Exception as error:  # noqa: BLE001 - the failure is the job
        print("failed as meant:", type(error).__name__)
    else:
        raise AssertionError("the job should have failed")


@job
def cache_and_checkpoint(lab: Lab) -> None:
    cached = lab.people.select("id", "name").cache()
    cached.count()
    lab.save(cached.withColumn("first", F.col("name.first")), "cached")
    cached.unpersist()
    lab.save(lab.people.select("id", "address.city").localCheckpoint().where("id > 1"), "checkpointed")


@job
def wide(lab: Lab) -> None:
    frame = lab.spark.range(2).select(*[(F.col("id") + i).alias(f"c{i}") for i in range(1000)])
    for i in range(20):
        frame = frame.withColumn(f"w{i}", F.col(f"c{i}") + F.col(f"c{i + 1}"))
    lab.save(frame, "wide")


@job
def jdbc(lab: Lab) -> None:
    where = {
        "url": "jdbc:derby:memory:plans;create=true;user=someone;password=hunter2",
        "driver": "org.apache.derby.jdbc.EmbeddedDriver",
        "dbtable": "PEOPLE",
        "password": "hunter2",
    }
    lab.people.selectExpr("id AS ID", "name.first AS FIRST").write.format("jdbc").options(**where).save()
    lab.save(lab.spark.read.format("jdbc").options(**where).load(), "from_jdbc")


@job
def multi_format(lab: Lab) -> None:
    lab.people.select("id", "name.first").write.mode("overwrite").option("header", True).csv(lab.path("csv"))
    lab.save(lab.spark.read.option("header", True).csv(lab.path("csv")), "from_csv")
    lab.people.write.mode("overwrite").orc(lab.path("orc"))
    lab.save(lab.spark.read.orc(lab.path("orc")), "from_orc")
    lab.save(lab.spark.read.text(lab.path("csv")), "from_text")
    lab.spark.conf.set("spark.sql.sources.useV1SourceList", "")
    lab.spark.read.parquet(lab.path("people")).write.mode("append").parquet(lab.path("v2"))
    lab.spark.conf.unset("spark.sql.sources.useV1SourceList")


def session(folder: Path, captured: Path) -> SparkSession:
    return (
        SparkSession.builder.master("local[2]")
        .appName("plan-jobs")
        .config("spark.jars", str(JAR))
        .config("spark.extraListeners", "io.headwater.spark.HeadwaterListener")
        .config("spark.headwater.python", shutil.which("false") or "false")
        .config("spark.headwater.capture.file", str(captured))
        .config("spark.sql.warehouse.dir", str(folder / "warehouse"))
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "1g")
        .getOrCreate()
    )


def split(captured: Path, target: Path) -> None:
    """One file a job: executions carry the job's name as their description."""
    target.mkdir(parents=True, exist_ok=True)
    lines = captured.read_text("utf-8").splitlines()
    application = next(line for line in lines if json.loads(line)["kind"] == "application")
    owner: dict[int, str] = {}
    files: dict[str, list[str]] = {}
    for line in lines:
        document = json.loads(line)
        if document["kind"] == "execution-start":
            owner[document["execution"]] = document["description"]
        if document["kind"].startswith("execution-"):
            files.setdefault(owner[document["execution"]], [application]).append(line)
    for name, documents in files.items():
        (target / f"{name}.ndjson").write_text("\n".join(documents) + "\n", "utf-8")


def main(target: Path, names: list[str]) -> int:
    folder = Path(tempfile.mkdtemp(prefix="plan-jobs-"))
    captured = folder / "captured.ndjson"
    failures = 0
    os.chdir(folder)
    spark = session(folder, captured)
    spark.sparkContext.setLogLevel("ERROR")
    spark.sparkContext.setJobDescription("prepare")
    lab = Lab(spark, folder)
    lab.prepare()
    for name in names or list(JOBS):
        spark.sparkContext.setJobDescription(name)
        try:
            JOBS[name](lab)
        except ImportError as missing:
            print(f"{name}: skipped ({missing})")
        except Exception as error:  # noqa: BLE001 - one job's failure must not hide the others
            failures += 1
            print(f"{name}: {str(error).splitlines()[0][:300]}")
    spark.stop()
    split(captured, target)
    shutil.rmtree(folder)
    return failures


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), sys.argv[2:]))
