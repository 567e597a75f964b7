"""Changes tables of Delta while it is captured, and asks of every row what it was made of.

Every record has a token, and a changed one has the tokens of all that made it; so the answers are judged by the tokens
that are in the files which they name. The argument is a folder; what was found is printed as JSON.
"""

import json
import sys
import warnings
from functools import cache

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import headwater_records_spark as hr

(FOLDER,) = sys.argv[1:]
MODES = ("demand", "ends", "full")
CHANGES = {
    "update": "UPDATE {t} SET token = concat(token, '+') WHERE k % 3 = 0 AND (n > 2 OR n IS NULL)",
    "merge": (
        "MERGE INTO {t} t USING (SELECT * FROM news WHERE n <> 4) s ON t.k = s.k"
        " WHEN MATCHED AND s.n < 0 THEN DELETE"
        " WHEN MATCHED AND s.n > 5 THEN UPDATE SET token = concat(t.token, '+', s.token), n = s.n"
        " WHEN NOT MATCHED AND s.n > 0 THEN INSERT (token, k, n) VALUES (s.token, s.k, s.n)"
    ),
    "delete": "DELETE FROM {t} WHERE k = 7 OR token LIKE '%-1_'",
    "insert": (
        "INSERT INTO {t} SELECT concat(a.token, '+', b.token), a.k, b.n FROM news a JOIN news b ON a.k = b.k + 21"
    ),
    "merge by source": (
        "MERGE INTO {t} t USING news s ON t.k = s.k WHEN MATCHED THEN UPDATE SET *"
        " WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED BY SOURCE AND t.k > 4 THEN DELETE"
        " WHEN NOT MATCHED BY SOURCE THEN UPDATE SET token = concat(t.token, '+')"
    ),
}


@cache
def tokens(path):
    """The tokens of a file, by Parquet's own reader, which knows of no table."""
    parquet = SparkSession.active()._jvm.org.apache.parquet.hadoop
    place = SparkSession.active()._jvm.org.apache.hadoop.fs.Path(path)
    reader = parquet.ParquetReader.builder(parquet.example.GroupReadSupport(), place).build()
    return [row.getString("token", 0) for row in iter(reader.read, None)]


def parts(token):
    return sorted(each for each in token.split("+") if each)


def claim(rows, answer, change):
    """The tokens that made these rows, and those of the records that are named."""
    found = {part for item in answer.items() for part in parts(tokens(item.id[0])[item.id[1] - 1])}
    made_of = {part for row in rows for part in parts(row["token"])}
    if change == "merge by source":
        # what was replaced as a whole has left no token
        found = {each for each in found if each in made_of or each.startswith("news")}
    return [sorted(made_of), sorted(found)]


def tables(spark):
    for mode in MODES:
        spark.sql(
            f"CREATE TABLE {mode}_t (token STRING, k INT, n INT) USING delta"
            " TBLPROPERTIES ('delta.enableDeletionVectors'='true')"
        )
        for part in range(2):
            rows = spark.range(12).selectExpr(
                f"concat('p{part}-', id) AS token", f"CAST(id + {part * 12} AS INT) AS k",
                "CAST(IF(id % 4 = 0, NULL, id % 7) AS INT) AS n",
            )  # fmt: skip
            rows.coalesce(1).writeTo(f"{mode}_t").append()
    news = [(f"news-{number}", number * 3, [-1, 4, 7, 9][number % 4]) for number in range(12)]
    spark.createDataFrame(news, "token string, k int, n int").coalesce(1).write.parquet(f"{FOLDER}/news")
    spark.read.parquet(f"{FOLDER}/news").createOrReplaceTempView("news")


def asked(spark, written, name, change):
    """What is said of all rows of the table and of some, and whether one comes again from its records alone."""
    rows = spark.table(name).orderBy(F.length("token").desc(), "token").collect()
    found = {"rows": len(rows), "claims": [claim(rows, written.why(), change)]}
    for row in (rows[0], rows[-1]):
        one = (F.col("token") == row["token"]) & (F.col("k") == row["k"])
        answer = written.why(where=one)
        found["claims"].append(claim([row], answer, change))
        found["again"] = written.replay(only=answer).where(one).collect() == [row]
    return found


def changed(spark, mode):
    name, found = f"{mode}_t", {}
    for change, query in CHANGES.items():
        before = spark.table(name).count()
        with hr.capture(spark, into=f"{FOLDER}/records/{mode}", mode=mode) as captured:
            spark.sql(query.format(t=name))
        found[change] = asked(spark, captured.written(name), name, change)
        found[change]["runs"] = [each.refused for each in captured.runs]
        found[change]["before"] = before
    with hr.capture(spark, into=f"{FOLDER}/records/{mode}", mode=mode) as captured:
        spark.sql(f"DELETE FROM {name} WHERE k = 9999")
    found["nothing"] = [len(captured.runs), len(captured.written(name).why(where="k < 3").items())]
    if mode != "demand":
        later = hr.written(spark, name, records=f"{FOLDER}/records/{mode}")
        found["later"] = sorted(later.why(where="k < 3").ids()) == sorted(
            captured.written(name).why(where="k < 3").ids()
        )
    spark.sql(f"DELETE FROM {name} WHERE k = 0")
    try:
        captured.written(name).why(where="k < 3")
    except hr.NotCapturedError as problem:
        found["not captured"] = str(problem)
    return found


def main():
    spark = SparkSession.builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    warnings.simplefilter("always", hr.RecordsWarning)
    tables(spark)
    print("FOUND " + json.dumps({mode: changed(spark, mode) for mode in MODES}))
    spark.stop()


if __name__ == "__main__":
    main()
