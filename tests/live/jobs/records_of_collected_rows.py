"""Pandas goes on with what `toPandas` gave, and asks which records of Spark's files it was made of.

Every record of the sources has a token of its own in each text, which values carry along: these are the claims. Its
arguments are a folder, and ``write``, which is what other jobs of its kind are given; it prints what it found as JSON.
"""

import json
import sys
from pathlib import Path

from captured_records import FOLDER, session
from pyspark.sql import functions as F
from tokens_of_files import token_at, tokens

import headwater_pandas as hp
import headwater_records_spark as hr

PEOPLE = 24
RECORDS = [f"{FOLDER}/records"]


def write(spark):
    """People of many types in several files, with gaps in them; visits in text; towns that a captured job made."""
    people = spark.range(PEOPLE).selectExpr(
        "int(id) AS id",
        "format_string('P%02dX', id) AS token",
        "int(id % 3) AS part",
        "IF(id % 5 = 0, NULL, id * 0.1D) AS amount",
        "IF(id % 7 = 0, double('NaN'), id / 3D) AS share",
        "CAST(IF(id % 4 = 0, NULL, id / 8) AS DECIMAL(20, 6)) AS price",
        "date_add(DATE'2020-01-01', int(id)) AS born",
        "IF(id = 2, NULL, timestamp_micros(1600000000123456 + id)) AS seen",
        "array(format_string('P%02dX', id), IF(id % 2 = 0, NULL, format_string('again P%02dX', id))) AS tags",
        "named_struct('street', format_string('P%02dX', id), 'parts', array(struct(id AS n))) AS address",
        "map('note', format_string('P%02dX', id)) AS notes",
        "CAST(format_string('P%02dX', id) AS BINARY) AS raw",
        "IF(id % 6 = 0, NULL, id * 10000000000) AS large",
        "id % 2 = 0 AS even",
    )
    people.repartition(4, "id").write.parquet(f"{FOLDER}/people")
    Path(f"{FOLDER}/visits.csv").write_text("".join(f"{n % PEOPLE},V{n:02d}X\n" for n in range(40)))
    with hr.capture(spark, into=RECORDS[0], mode="ends"):
        read = spark.read.parquet(f"{FOLDER}/people").where("id < 9")
        read.select("part", "token").repartition(2, "part").write.parquet(f"{FOLDER}/towns")


class Asked:
    """Questions about frames, with what the files have."""

    def __init__(self, spark):
        self.spark = spark
        self.at = token_at(FOLDER)

    def of(self, frame, rows, columns):
        origins = hp.origins(frame, rows, columns, spark=self.spark, records=RECORDS)
        ids = [each.id for each in origins.sources.items() if each.contributing]
        return sorted({self.at[Path(file).name, place] for file, place in ids}), origins

    def claims(self, frame, columns, carried=None):
        """Of each record the tokens that values carry, those of the records that are found, and what is not known."""
        found = []
        for row in range(len(frame)):
            of, origins = self.of(frame, row, columns)
            found.append([tokens(frame.iloc[row][carried or columns]), of, list(origins.unknown.values())])
        return found

    def reasons(self, frame):
        return sorted(set(hp.origins(frame, [0], spark=self.spark, records=RECORDS).unknown.values()))


def contents(frame):
    """All of a frame that a program can see."""
    cells = [[repr(cell) for cell in frame[name]] for name in frame.columns]
    return cells, [str(each) for each in frame.dtypes], repr(frame.index), type(frame).__name__


def failing(token):
    if Path(f"{FOLDER}/fails").exists():
        raise ValueError(token)
    return token


def known(spark, ask):
    people = spark.read.parquet(f"{FOLDER}/people")
    visits = spark.read.schema("id int, visit string").csv(f"{FOLDER}/visits.csv")
    found = {}
    plain = people.toPandas()
    chosen = plain[plain["id"] > 15].sort_values("id", ascending=False).reset_index(drop=True)
    found["every type"] = ask.claims(chosen.head(3), ["token"])
    found["nested"] = ask.claims(chosen.tail(2), ["address", "tags", "notes"])
    found["other columns"] = ask.claims(chosen.head(2), ["price", "seen", "large", "amount"], ["token"])

    joined = people.join(visits, "id", "left").select("token", F.upper("visit").alias("visit")).toPandas()
    found["join"] = ask.claims(joined.iloc[::9], ["token", "visit"])
    found["one side"] = ask.claims(joined.tail(2), ["visit"])

    groups = people.groupBy("part").agg(
        F.sum("amount").alias("total"), F.concat_ws(" ", F.collect_list("token")).alias("tokens")
    )
    found["group"] = ask.claims(groups.toPandas(), ["tokens"])
    found["sum"] = ask.claims(groups.toPandas(), ["total"], ["tokens"])

    exploded = people.where("id < 4").select("part", F.explode("tags").alias("tag")).toPandas().dropna()
    found["explode"] = ask.claims(exploded, ["tag"])

    nested = people.where("id < 3").select("address", "notes", "tags", "raw", "token").toPandas()
    found["cells"] = ask.claims(nested, ["address", "notes", "raw"])

    twice = people.select("token", F.lower("token").alias("token")).toPandas()
    found["equal names"] = ask.claims(twice.head(2), ["token"])

    ends = people.orderBy(F.desc("id")).limit(4).toPandas()
    found["limit"] = ask.claims(ends, ["token"])

    through = spark.read.parquet(f"{FOLDER}/towns").toPandas()
    found["captured"] = ask.claims(through.iloc[::3], ["token"])

    left, right = people.where("id < 6").toPandas(), visits.toPandas()
    merged = left.merge(right, on="id")
    merged["both"] = merged["token"] + merged["visit"]
    found["two frames"] = ask.claims(merged.iloc[::4], ["both"])

    changed = people.select("id", "token").toPandas()
    changed["id"] = 0
    changed["more"] = changed["token"].str.lower()
    changed.loc[3, "token"] = "?"
    found["changed"] = ask.claims(changed.head(2), ["more"], ["token"])

    spark.conf.set("spark.sql.execution.arrow.pyspark.enabled", "false")
    found["without Arrow"] = ask.claims(people.where("id > 20").toPandas(), ["token", "address"])
    spark.conf.set("spark.sql.execution.arrow.pyspark.enabled", "true")
    return found


def main():
    spark = session()
    spark.sparkContext.setLogLevel("OFF")
    write(spark)
    ask = Asked(spark)
    people = spark.read.parquet(f"{FOLDER}/people")
    by_part = people.select("part")
    frames = [
        people,
        people.select("share", "share", "price"),
        people.limit(0),
        people.select("notes", "address"),
    ]
    before = [contents(each.toPandas()) for each in frames]
    found = {}
    with hp.tracking():
        found["same"] = [contents(each.toPandas()) == was for each, was in zip(frames, before, strict=True)]
        found["claims"] = known(spark, ask)

        alike = by_part.toPandas()
        of, origins = ask.of(alike, 0, None)
        wanted = people.where(people["part"] == int(alike["part"].iloc[0])).select("token").collect()
        found["alike"] = [of, sorted(each[0] for each in wanted), list(origins.unknown.values())]
        of, origins = ask.of(alike, None, None)
        found["all alike"] = [of, list(origins.unknown.values())]
        decided = hp.origins(people.where("id < 5").toPandas(), 0, ["token"], spark=spark).sources.items()
        found["decided"] = sorted({name for each in decided for name in each.influencing})
        numbered = hp.origins(people.toPandas().reset_index(), 5, ["index"], spark=spark).sources.items()
        found["place"] = [[len(numbered), each.contributing] for each in numbered]
        stages = hp.origins(people.where("id < 5").toPandas(), 0, ["token"], spark=spark).stages
        found["stages"] = [[each.output, *each.answer.steps.values()] for each in stages]

        rows = people.rdd.repartition(2).toDF(people.schema)
        found["unknown"] = {
            "time": ask.reasons(
                people.select("id", F.expr("uuid()").alias("u"), F.current_timestamp()).toPandas()
            ),
            "shuffled rows": ask.reasons(rows.toPandas()),
        }
        with_function = people.select(F.udf(failing, "string")("token").alias("t")).toPandas()
        Path(f"{FOLDER}/fails").touch()
        found["unknown"]["failing"] = ask.reasons(with_function)
        kept = people.select("token").toPandas()
        file = sorted(Path(f"{FOLDER}/people").glob("part-*"))[0]
        file.write_bytes(file.read_bytes())
        found["unknown"]["changed"] = ask.reasons(kept)
    print("FOUND " + json.dumps(found))
    spark.stop()


if __name__ == "__main__":
    sys.exit(main())
