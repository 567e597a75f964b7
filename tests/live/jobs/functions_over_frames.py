"""Functions over frames, whose code is read: of batches, of groups, of two tables' groups, and by positions; those of
modules that are shipped as files, and a data source in Python.

functions_over_frames.py OUT
"""

import hashlib
import sys
import zipfile
from pathlib import Path

import pandas as pd
from pyspark.sql import SparkSession
from pyspark.sql.functions import udf, udtf
from pyspark.sql.types import StructType

ROWS = [(1, "Ada", "a@example.org", "Bern", 3.5), (2, "Bob", "b@example.org", "Rome", 1.0)]


def hidden(frames):
    for given in frames:
        df = given[given["amount"] > 0].copy()
        df["mail"] = df["mail"].map(lambda mail: hashlib.sha256(mail.encode()).hexdigest())
        yield df.rename(columns={"town": "city"})[["id", "mail", "city"]]


def totals(key, df):
    return pd.DataFrame({"town": [key[0]], "total": [df["amount"].sum()], "first": [df["name"].iloc[0]]})


def together(left, right):
    return left.merge(right, on="id", how="left")[["name", "room"]]


def swapped(df):
    return df[["mail", "name"]]


def evaluated(df):
    return df.assign(name=eval("df.mail"))


def shipped(spark, people, folder: str) -> None:
    """Functions of a module, which uses a package in an archive."""
    Path(folder, "towns.py").write_text(
        "from marks import digest\n\n\ndef known(town, mail):\n    return town + digest(mail)\n\n\n"
        "def totals(key, df):\n    return df.assign(town=key[0])[['town', 'amount']]\n\n\n"
        "class Rows:\n    def eval(self, town, mail):\n        yield town, self.of(mail)\n\n"
        "    def of(self, mail):\n        return digest(mail)\n"
    )
    with zipfile.ZipFile(f"{folder}/marks.zip", "w") as archive:
        archive.writestr("marks/__init__.py", "from .digests import digest\n")
        archive.writestr(
            "marks/digests.py",
            "import hashlib\n\ndef digest(mail):\n    return hashlib.sha256(mail.encode()).hexdigest()\n",
        )
    spark.sparkContext.addPyFile(f"{folder}/marks.zip")
    spark.sparkContext.addPyFile(f"{folder}/towns.py")
    import towns

    marked = people.select(udf(towns.known)("town", "mail").alias("key"))
    marked.write.parquet(f"{folder}/shipped")
    grouped = people.groupBy("town").applyInPandas(towns.totals, "town string, amount double")
    grouped.write.parquet(f"{folder}/shipped_groups")

    class Kept(towns.Rows):
        def of(self, mail):
            return mail

    people.createOrReplaceTempView("people")
    for name, handler in {"shipped_rows": towns.Rows, "shipped_base": Kept}.items():
        spark.udtf.register(name, udtf(handler, returnType="town string, key string"))
        made = spark.sql(f"SELECT made.town, made.key FROM people, LATERAL {name}(town, mail) made")
        made.write.parquet(f"{folder}/{name}")


def analysed(spark, people, folder: str) -> None:
    """A class of a table function that says what it gives and how to partition its table, where Spark has these."""
    try:
        from pyspark.sql.udtf import AnalyzeResult, PartitioningColumn
    except ImportError:
        return

    class Last:
        @staticmethod
        def analyze(rows):
            made = StructType().add("key", "string").add("who", "string")
            return AnalyzeResult(made, partitionBy=[PartitioningColumn("upper(town)")])

        def eval(self, row):
            self.row = row

        def terminate(self):
            yield self.row["mail"], self.row[1]

    spark.udtf.register("last_of", udtf(Last))
    people.createOrReplaceTempView("people")
    spark.sql("SELECT key, who FROM last_of(TABLE(people))").write.parquet(f"{folder}/analysed")


def custom(spark, people, folder: str) -> None:
    """A data source of the program's, where Spark has these."""
    try:
        from pyspark.sql.datasource import DataSource, DataSourceReader
    except ImportError:
        return

    class Reader(DataSourceReader):
        def read(self, partition):
            yield ("Ada",)

    class Source(DataSource):
        @classmethod
        def name(cls):
            return "custom"

        def schema(self):
            return "name string"

        def reader(self, schema):
            return Reader()

    spark.dataSource.register(Source)
    spark.read.format("custom").load(f"{folder}/rooms").write.parquet(f"{folder}/custom")


def main(out: str) -> None:
    spark = SparkSession.builder.appName("Frames").getOrCreate()
    spark.createDataFrame(ROWS, "id int, name string, mail string, town string, amount double").write.parquet(
        f"{out}/people"
    )
    spark.createDataFrame([(1, "r1"), (2, "r2")], "id int, room string").write.parquet(f"{out}/rooms")
    people, rooms = spark.read.parquet(f"{out}/people"), spark.read.parquet(f"{out}/rooms")
    people.mapInPandas(hidden, "id int, mail string, city string").write.parquet(f"{out}/hidden")
    towns = people.groupBy("town")
    towns.applyInPandas(totals, "town string, total double, first string").write.parquet(f"{out}/totals")
    pairs = people.groupBy("id").cogroup(rooms.groupBy("id"))
    pairs.applyInPandas(together, "name string, room string").write.parquet(f"{out}/together")
    towns.applyInPandas(evaluated, people.schema).write.parquet(f"{out}/evaluated")
    shipped(spark, people, out)
    analysed(spark, people, out)
    custom(spark, people, out)
    two = people.select("town", "name", "mail").groupBy("town")
    two.applyInPandas(swapped, "name string, mail string").write.parquet(f"{out}/by_name")
    spark.conf.set("spark.sql.legacy.execution.pandas.groupedMap.assignColumnsByName", "false")
    two.applyInPandas(swapped, "name string, mail string").write.parquet(f"{out}/by_position")
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
