"""Bodies of `foreachBatch` that hand the values of a batch to code of their own, each from a folder of its own.

batch_bodies.py FOLDER

What the code of a way gets is in FOLDER/outside/WAY*: workers and the driver write it there by themselves.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F

SCHEMA = "id int, mail string, note string"


class Ways:
    """Each takes the mail of a batch out of Spark; the note stays in it."""

    def __init__(self, folder: str) -> None:
        self.outside = Path(folder, "outside")
        self.outside.mkdir()

    def collect(self, rows: DataFrame) -> None:
        self._keep("collect", rows.select("mail").collect())

    def foreach(self, rows: DataFrame) -> None:
        rows.select("mail").foreach(self._keeper("foreach"))

    def foreach_partition(self, rows: DataFrame) -> None:
        rows.select("mail").foreachPartition(self._keeper("foreach_partition"))

    def rdd_collect(self, rows: DataFrame) -> None:
        self._keep("rdd_collect", rows.select("mail").rdd.map(tuple).collect())

    def rdd_take(self, rows: DataFrame) -> None:
        self._keep("rdd_take", rows.select("mail").rdd.take(5))

    def rdd_files(self, rows: DataFrame) -> None:
        rows.select("mail").rdd.map(str).saveAsTextFile(str(self.outside / "rdd_files"))

    def thrown_away(self, rows: DataFrame) -> None:
        self._sent("thrown_away", rows).write.format("noop").mode("overwrite").save()

    def counted(self, rows: DataFrame) -> None:
        self._sent("counted", rows).count()

    def chosen(self, rows: DataFrame) -> None:
        """A function decides which rows are counted."""
        keep = self._keeper("chosen")

        def is_new(mail: str) -> bool:
            keep(mail)
            return True

        rows.filter(F.udf(is_new, "boolean")("mail")).select("id").count()

    def _sent(self, way: str, rows: DataFrame) -> DataFrame:
        keep = self._keeper(way)

        def send(frames: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
            for frame in frames:
                keep(frame["mail"].tolist())
                yield frame[["mail"]].assign(mail="sent")

        return rows.select("mail").mapInPandas(send, "mail string")

    def _keeper(self, way: str):
        outside = str(self.outside)

        def keep(found: object) -> None:
            texts = [str(each) for each in ([found] if isinstance(found, Row | str) else found)]
            with Path(outside, way).open("a", encoding="utf-8") as file:
                file.write("\n".join(texts) + "\n")

        return keep

    def _keep(self, way: str, found: object) -> None:
        Path(self.outside, way).write_text(str(found), "utf-8")


def main(folder: str) -> None:
    spark = SparkSession.builder.appName("Bodies").getOrCreate()
    ways = Ways(folder)
    for way in (name for name in vars(Ways) if not name.startswith("_")):
        arriving = Path(folder, "in", way)
        arriving.mkdir(parents=True)
        row = {"id": 1, "mail": f"zqmail{way}", "note": f"zqnote{way}"}
        (arriving / "1.json").write_text(json.dumps(row), "utf-8")
        writer = spark.readStream.schema(SCHEMA).json(str(arriving)).writeStream
        writer = writer.option("checkpointLocation", f"{folder}/checkpoints/{way}").trigger(availableNow=True)
        writer.foreachBatch(_body(ways, way)).start().awaitTermination()
    spark.stop()


def _body(ways: Ways, way: str):
    def body(rows: DataFrame, _batch: int) -> None:
        getattr(ways, way)(rows)

    return body


if __name__ == "__main__":
    main(*sys.argv[1:])
