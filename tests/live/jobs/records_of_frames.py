"""Pandas goes on with what captured jobs of Spark wrote, and asks which of their first records it was made of.

Every record of the sources has a token of its own, which values carry along: these are the claims. Its arguments are a
folder, and ``write``, which is what other jobs of its kind are given; it prints what it found as JSON.
"""

import json
from pathlib import Path

import pandas as pd
from captured_records import FOLDER, session
from pyspark.sql import functions as F
from tokens_of_files import token_at, tokens

import headwater_pandas as hp
import headwater_records_spark as hr

RECORDS = [f"{FOLDER}/records"]
PEOPLE = 30


def write(spark):
    """People in several files, visits in text; a job joins them, another one groups, by way of folders and texts."""
    people = spark.range(PEOPLE).select(
        F.col("id").cast("int").alias("id"),
        F.format_string("P%02dX", "id").alias("token"),
        (F.col("id") % 3).cast("int").alias("part"),
    )
    people.repartition(4, "id").write.parquet(f"{FOLDER}/people")
    Path(f"{FOLDER}/visits.csv").write_text("".join(f"{n % PEOPLE},V{n:02d}X\n" for n in range(40)))
    with hr.capture(spark, into=RECORDS[0], mode="ends"):
        read = spark.read.parquet(f"{FOLDER}/people")
        visits = spark.read.schema("id int, visit string").csv(f"{FOLDER}/visits.csv")
        joined = read.where("id % 7 <> 3").join(visits, "id").repartition(3, "visit")
        joined.write.parquet(f"{FOLDER}/joined")
        joined.write.partitionBy("part").parquet(f"{FOLDER}/by part")
        groups = spark.read.parquet(f"{FOLDER}/joined").groupBy("part")
        groups = groups.agg(
            F.concat_ws(" ", F.collect_list("visit")).alias("visits"), F.count("*").alias("n")
        )
        groups.coalesce(1).write.option("header", "true").csv(f"{FOLDER}/groups")
        groups.coalesce(1).write.csv(f"{FOLDER}/without names")


def only(folder):
    (file,) = Path(folder).glob("part-*")
    return file


def claims(spark, frame, columns):
    """Of each record the tokens that the values of some columns carry, and those of the records that are found."""
    at, found = token_at(FOLDER), []
    for row in range(len(frame)):
        origins = hp.origins(frame, row, columns, spark=spark, records=RECORDS)
        ids = [each.id for each in origins.sources.items() if each.contributing]
        of = sorted({at[Path(file).name, place] for file, place in ids})
        found.append([tokens(frame.iloc[row][columns]), of, list(origins.unknown.values())])
    return found


def reasons(spark, frame):
    return sorted(set(hp.origins(frame, [0], spark=spark, records=RECORDS).unknown.values()))


def main():
    spark = session()
    spark.sparkContext.setLogLevel("OFF")
    write(spark)
    found = {}
    with hp.tracking():
        joined = pd.read_parquet(f"{FOLDER}/joined")
        chosen = joined[joined["id"] > 20].sort_values("visit").reset_index(drop=True)
        chosen["both"] = chosen["token"] + chosen["visit"]
        found["folder"] = claims(spark, chosen.tail(4), ["both"])
        found["one column"] = claims(spark, chosen.head(2), ["visit"])
        parts = pd.read_parquet(f"{FOLDER}/by part")
        most = parts.groupby("part", observed=True).agg(visit=("visit", "max"), n=("id", "size"))
        found["partitions"] = claims(
            spark, parts[parts["part"].astype(int) == 1].iloc[::4], ["token", "visit"]
        )
        files = sorted(Path(f"{FOLDER}/joined").glob("part-*"))
        several = pd.concat([pd.read_parquet(each, columns=["token", "id"]) for each in files])
        found["files"] = claims(spark, several.iloc[::7], ["token"])
        listed = pd.read_parquet([str(each) for each in reversed(files)])
        found["several files"] = claims(spark, listed.iloc[::9], ["token", "visit"])
        merged = pd.read_csv(only(f"{FOLDER}/groups")).merge(joined[["part", "token"]].head(5), on="part")
        found["text"] = claims(spark, merged.head(1), ["visits"])
        direct = pd.read_parquet(f"{FOLDER}/people")
        found["nothing between"] = claims(spark, direct.tail(3), ["token"])

        link = Path(f"{FOLDER}/link")
        link.symlink_to(f"{FOLDER}/joined")

        decided = hp.origins(chosen, [0], ["visit"], spark=spark, records=RECORDS).sources.items()
        found["decided"] = sorted({name for each in decided for name in each.influencing})
        stages = hp.origins(most, [0], spark=spark, records=RECORDS).stages
        found["stages"] = [[Path(each.output).name, *each.answer.steps.values()] for each in stages][:1]
        found["unknown"] = {
            "names": reasons(spark, pd.read_csv(only(f"{FOLDER}/without names"))),
            "filters": reasons(spark, pd.read_parquet(f"{FOLDER}/joined", filters=[("id", ">", 20)])),
            "rows": reasons(spark, pd.read_csv(only(f"{FOLDER}/groups"), skiprows=1, header=None)),
            "program": reasons(spark, joined.assign(new=range(len(joined)))),
            "link": reasons(spark, pd.read_parquet(link)),
        }
        spark.range(3).selectExpr("int(id) AS id", "'x' AS token").coalesce(1).write.parquet(
            f"{FOLDER}/other"
        )
        files[0].write_bytes(only(f"{FOLDER}/other").read_bytes())
        found["unknown"]["changed"] = reasons(spark, pd.read_parquet(files[0]))
    found["before"] = claims(spark, several.iloc[:2], ["token"])
    print("FOUND " + json.dumps(found))
    spark.stop()


if __name__ == "__main__":
    main()
