"""User functions whose lineage is declared: before a session, in it, and in a file; and two that are not,
of which one is read.

declared_functions.py OUT
"""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

import headwater_spark


@headwater_spark.lineage(reads=["name.last -> surname", "mail => contact"])
@F.udf(StructType().add("surname", "string").add("contact", "string"))
def person(name, mail, salt):
    return name["last"] + str(salt), mail


def main(out: str) -> None:
    spark = SparkSession.builder.appName("Declared").getOrCreate()

    @headwater_spark.lineage(reads=["mail"], masking=True, name="masked")
    def hide(mail):
        return "*" * len(mail)

    spark.udf.register("masked", hide, "string")
    spark.udf.register("configured", lambda a, b: a, "string")
    spark.udf.register("unknown", lambda a: eval("a"), "string")
    spark.udf.register("plain", lambda a: a, "string")
    rows = [(1, ("Ada", "L"), "a@example.org")]
    spark.createDataFrame(rows, "id int, name struct<first:string,last:string>, mail string").write.parquet(
        f"{out}/people"
    )
    people = spark.read.parquet(f"{out}/people").select("*", person("name", "mail", "id").alias("person"))
    people.selectExpr(
        "person",
        "masked(mail) AS hidden",
        "configured(name.first, id) AS given",
        "unknown(mail) AS x",
        "plain(mail) AS y",
    ).write.parquet(f"{out}/declared")
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
