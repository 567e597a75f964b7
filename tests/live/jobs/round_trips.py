"""Values that go through the driver and come back, in each of the ways that there are; and writes that hold none.

round_trips.py PATIENTS.json OUT
"""

import json
import sys

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

LOOP = """
BEGIN
  DECLARE last STRING;
  FOR each AS SELECT ssn FROM people DO SET last = each.ssn; END FOR;
  SELECT last AS s;
END
"""


def main(patients: str, out: str) -> None:
    spark = SparkSession.builder.appName("Round Trips").getOrCreate()
    people = spark.read.json(patients)
    people.createOrReplaceTempView("people")

    def write(name: str, rows: DataFrame) -> None:
        rows.coalesce(1).write.json(f"{out}/{name}")

    people.count()
    people.select("ssn").show()
    people.select("ssn").isEmpty()
    write("before", people.select("id", F.lit("k7").alias("made")))

    spark.sql(f"CREATE TABLE of_lines USING csv OPTIONS (path '{patients}', header true, inferSchema true)")
    spark.sql(f"SELECT * FROM json.`{patients}`").createOrReplaceTempView("again")
    write("inferred", people.select("id", F.lit("k8").alias("made")))

    if spark.version >= "4":  # Spark 3.5 has no variables and no scripts
        spark.sql("DECLARE VARIABLE least STRING")
        spark.sql("SET VAR least = (SELECT min(ssn) FROM people)")
        write("variable", spark.sql("SELECT id, least FROM people"))
        spark.conf.set("spark.sql.scripting.enabled", "true")
        write("looped", spark.sql(LOOP))
        write("scripted", spark.sql("BEGIN SELECT ssn AS s FROM people; END"))

    rows = people.select("ssn", "id").orderBy("id").collect()
    first = rows[0].ssn
    write("local", spark.createDataFrame([(row.ssn,) for row in rows], "s string"))
    write("parallel", spark.sparkContext.parallelize([(row.ssn,) for row in rows]).toDF(["s"]))
    write("strings", spark.read.json(spark.sparkContext.parallelize([json.dumps({"s": first})])))
    write("literal", people.select("id", F.lit(first).alias("s")))
    pairs = [F.lit(value) for row in rows for value in (row.id, row.ssn)]
    write("looked_up", people.select(F.create_map(*pairs)[F.col("id")].alias("s")))
    write("text", spark.sql(f"SELECT id, '{first}' AS s FROM people"))
    write("values", spark.sql(f"SELECT * FROM VALUES ('{first}') AS t(s)"))
    write("parameter", spark.sql("SELECT id, :s AS s FROM people", args={"s": first}))
    known = {row.id: row.ssn for row in rows}
    shared = spark.sparkContext.broadcast(known)
    write("closure", people.select(F.udf(lambda id_: known[id_])("id").alias("s")))
    write("broadcast", people.select(F.udf(lambda id_: shared.value[id_])("id").alias("s")))
    write("filtered", people.select("id").where(F.col("ssn") == first))
    write("chosen", people.select("id").where(F.lit(first).startswith("1")))
    write("frame", spark.createDataFrame(people.select("ssn").toPandas()))
    write("plain", people.select("id", F.substring("name", 1, 1).alias("initial")))
    people.select("ssn").rdd.map(lambda row: row.ssn).collect()
    list(people.select("name").toLocalIterator())
    for _ in range(20):
        people.select("name").first()
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
