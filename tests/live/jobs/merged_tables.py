"""Changes tables of Delta in ways that are easily misread, and asks of every row what it was made of.

Every record has a token, and a changed one has the tokens of all that made it; so the answers are judged by the tokens
that are in the files which they name. The arguments are a folder and a mode; what was found is printed as JSON.
"""

import json
import sys
import warnings

from pyspark.sql import SparkSession
from records_by_token import claim

import headwater_records_spark as hr

FOLDER, MODE = sys.argv[1:]
RECORDS = f"{FOLDER}/records"
CHANGES = {
    "several delete": "MERGE INTO t USING news s ON t.k = s.k AND s.n < 2 WHEN MATCHED THEN DELETE",
    "several and by source": (
        "MERGE INTO t USING (SELECT * FROM news WHERE n = 2) s ON t.k = s.k"
        " WHEN MATCHED AND t.k > 4 THEN UPDATE SET deep.a = s.token, token = concat(t.token, '+', s.token)"
        " WHEN NOT MATCHED BY SOURCE AND t.k = 2 THEN DELETE"
        " WHEN NOT MATCHED BY SOURCE THEN UPDATE SET n = t.n + 1, token = concat(t.token, '+')"
    ),
    "only by source": (
        "MERGE INTO t USING news s ON t.k = s.k WHEN NOT MATCHED BY SOURCE THEN UPDATE SET token = concat(t.token, '+')"
    ),
    "generated": "UPDATE t SET n = n + 10, token = concat(token, '+') WHERE k > 5",
    "inserted and generated": (
        "MERGE INTO t USING news s ON t.k = s.k - 100 WHEN NOT MATCHED AND s.n = 0 THEN"
        " INSERT (token, k, n) VALUES (s.token, s.k, s.n)"
    ),
    "appended and generated": "INSERT INTO t (token, k, n) SELECT token, k, n FROM news WHERE n = 1",
    "new columns": (
        "MERGE INTO t USING (SELECT concat(token, '+') AS token, k, n, k AS wide FROM news WHERE n = 2) s"
        " ON t.token = s.token WHEN NOT MATCHED THEN INSERT *"
    ),
}  # fmt: skip
"""The changes of the table ``t``; the last one with evolution of its schema."""


def tables(spark):
    # Delta takes generated columns in SQL from no catalog of Spark's
    tables = spark._jvm.io.delta.tables.DeltaTable
    made = tables.create(spark._jsparkSession).tableName("t")
    for name, kind in {
        "token": "STRING",
        "k": "INT",
        "n": "INT",
        "deep": "STRUCT<a: STRING, b: INT>",
    }.items():
        made = made.addColumn(name, kind)
    twice = tables.columnBuilder(spark._jsparkSession, "twice").dataType("INT").generatedAlwaysAs("n * 2")
    made.addColumn(twice.build()).property(
        "delta.enableDeletionVectors", str(MODE != "demand").lower()
    ).execute()
    for part in range(2):
        spark.range(8).selectExpr(
            f"concat('p{part}-', id) AS token", "CAST(id AS INT) AS k", "CAST(id % 3 AS INT) AS n",
            "named_struct('a', string(id), 'b', CAST(id AS INT)) AS deep",
            "CAST(id % 3 * 2 AS INT) AS twice",
        ).coalesce(1).writeTo("t").append()  # fmt: skip
    news = [(f"news-{number}", number // 3 * 3, number % 3) for number in range(9)]
    news.append(("news-twice", 3, 0))
    spark.createDataFrame(news, "token string, k int, n int").coalesce(1).write.parquet(f"{FOLDER}/news")
    spark.read.parquet(f"{FOLDER}/news").createOrReplaceTempView("news")


def asked(spark, written):
    """What is stated of all rows, and of the one with the longest and the shortest token."""
    rows = sorted(spark.table("t").collect(), key=lambda row: (len(row["token"]), row["token"]))
    some = [claim([row], written.why(where=f"token = '{row['token']}'")) for row in (rows[0], rows[-1])]
    return [claim(rows, written.why()), *some]


def failure(call):
    try:
        call()
    except hr.RecordsError as problem:
        return f"{type(problem).__name__}: {problem}"
    return ""


def changed(spark):
    found = {}
    for change, query in CHANGES.items():
        evolves = str(change == "new columns").lower()
        spark.conf.set("spark.databricks.delta.schema.autoMerge.enabled", evolves)
        with hr.capture(spark, into=RECORDS, mode=MODE) as captured:
            spark.sql(query)
        runs = [each.refused for each in captured.runs]
        found[change] = [runs, [] if any(runs) else asked(spark, captured.written("t"))]
    return found


def idle(spark):
    """What comes of a MERGE that finds nothing to do, and of one that Delta refuses for its several matches."""
    with hr.capture(spark, into=RECORDS, mode=MODE) as captured:
        spark.sql("MERGE INTO t USING news s ON t.k = s.k + 1000 WHEN MATCHED THEN DELETE")
        refused = [each.refused for each in captured.runs]
        claims = asked(spark, captured.written("t")) if captured.runs else []
    with hr.capture(spark, into=RECORDS, mode=MODE) as failing:
        try:
            spark.sql(
                "MERGE INTO t USING news s ON t.k = s.k WHEN MATCHED AND s.n = 1 THEN UPDATE SET n = s.n"
            )
        except Exception as problem:  # noqa: BLE001 - Spark's own error, which it names
            failed = "MULTIPLE_SOURCE_ROW" in str(problem)
    return {"refused": refused, "claims": claims, "failed": failed, "runs": len(failing.runs)}


def anew(spark):
    """What is stated of a table, and of what was made of another, when both were dropped and made anew."""
    found = {}
    with hr.capture(spark, into=RECORDS, mode=MODE) as captured:
        for name in ("a", "b"):
            make(spark, name)
        spark.table("b").write.parquet(f"{FOLDER}/of_b")
    before = len(captured.written("a").why().items()), len(captured.written(f"{FOLDER}/of_b").why().items())
    for name in ("a", "b"):
        spark.sql(f"DROP TABLE {name}")
        make(spark, name)
    found["before"] = before
    found["output"] = failure(lambda: captured.written("a").why())
    of_b = captured.written(f"{FOLDER}/of_b")
    found["input"] = failure(of_b.why if MODE == "demand" else lambda: of_b.replay(only={}))
    return found


def make(spark, name):
    spark.sql(f"CREATE TABLE {name} (token STRING, k INT) USING delta")
    spark.sql(f"INSERT INTO {name} SELECT token, k FROM news")


def deep(spark):
    """What is stated of a MERGE that adds a field inside a column."""
    spark.conf.set("spark.databricks.delta.schema.autoMerge.enabled", "true")
    with hr.capture(spark, into=RECORDS, mode=MODE) as captured:
        spark.sql(
            "MERGE INTO t USING (SELECT token, k, named_struct('a', token, 'b', n, 'c', 1) AS deep FROM news) s"
            " ON t.token = s.token WHEN NOT MATCHED THEN INSERT (token, k, deep) VALUES (s.token, s.k, s.deep)"
        )
    return [[each.operator, each.refused] for each in captured.runs]


def warned(spark):
    """The warning of a command that is not followed."""
    with warnings.catch_warnings(record=True) as caught, hr.capture(spark, into=RECORDS, mode=MODE):
        warnings.simplefilter("always", hr.RecordsWarning)
        spark.sql("INSERT OVERWRITE a SELECT token, k FROM news")
        spark.table("news").select("token", "k").write.format("delta").mode("append").save(
            f"{FOLDER}/warehouse/b"
        )
        spark.sql("CREATE TABLE c USING delta AS SELECT * FROM news")
    return [str(each.message) for each in caught if issubclass(each.category, hr.RecordsWarning)]


def main():
    spark = SparkSession.builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    warnings.simplefilter("ignore", hr.RecordsWarning)
    tables(spark)
    found = {"changed": changed(spark), "idle": idle(spark), "anew": anew(spark), "deep": deep(spark)}
    print("FOUND " + json.dumps(found | {"warned": warned(spark)}))
    spark.stop()


if __name__ == "__main__":
    main()
