"""Asks whose records leaked rows were made of, in each mode; prints that, and what plain Python says, as JSON.

Its argument is a folder.
"""

import json
import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import headwater_records_spark as hr

(FOLDER,) = sys.argv[1:]
PATIENTS = [
    (number, f"person-{number}", ["flu", "cold", "none"][number % 3], f"town-{number % 4}")
    for number in range(12)
]
VISITS = [(number % 14, number * 10, f"doctor-{number % 5}") for number in range(40)]
"""Two of the numbers are of no patient."""
MODES = ("demand", "ends", "full")
LEAKED = "doctor IN ('doctor-1', 'doctor-3')"


def tables(spark):
    patients = spark.createDataFrame(PATIENTS, "id int, name string, illness string, town string")
    patients.repartition(3, "id").write.parquet(f"{FOLDER}/patients")
    visits = spark.createDataFrame(VISITS, "patient int, cost int, doctor string")
    visits.repartition(3, "cost").write.parquet(f"{FOLDER}/visits")
    return spark.read.parquet(f"{FOLDER}/patients"), spark.read.parquet(f"{FOLDER}/visits")


def described(found):
    return {
        "rows": found.rows,
        "persons": {
            each.key: [each.rows, each.among, attributes(each.leaked), attributes(each.inferred)]
            for each in found.persons
        },
        "unknown": {name.rsplit("/", 1)[-1]: count for name, count in found.unknown.items()},
    }


def attributes(found):
    return sorted(f"{source.rsplit('/', 1)[-1]}.{path}" for source, path in found)


def expected():
    """By person of how many leaked rows, and the least number of persons of one of these rows."""
    ill = {number: name for number, name, illness, _ in PATIENTS if illness == "flu"}
    of = {
        doctor: {ill[patient] for patient, _, each in VISITS if each == doctor and patient in ill}
        for doctor in ("doctor-1", "doctor-3")
    }
    return {
        name: [
            sum(name in names for names in of.values()),
            min(len(names) for names in of.values() if name in names),
        ]
        for name in set().union(*of.values())
    }


def main():
    spark = SparkSession.builder.master("local[2]").config("spark.sql.shuffle.partitions", "2").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    patients, visits = tables(spark)
    both = visits.join(patients, F.col("patient") == F.col("id"))
    totals = both.where("illness = 'flu'").groupBy("doctor").agg(F.sum("cost").alias("total"))
    found = {"frame": described(hr.breach(totals, where=LEAKED, people=both, key="name"))}
    for mode in MODES:
        with hr.capture(spark, into=f"{FOLDER}/records", mode=mode) as captured:
            totals.write.parquet(f"{FOLDER}/{mode}")
        written = captured.written(f"{FOLDER}/{mode}")
        found[mode] = described(written.breach(where=LEAKED, people=both, key="name"))
    found["patients alone"] = described(hr.breach(totals, where=LEAKED, people=patients, key="name"))
    found["rows"] = described(
        hr.breach(both.select("name", "cost"), where="cost = 10", people=both, key="name")
    )
    print("FOUND " + json.dumps({"found": found, "expected": expected()}))
    spark.stop()


if __name__ == "__main__":
    main()
