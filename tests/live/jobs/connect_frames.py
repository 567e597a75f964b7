"""A client of Spark Connect whose frame goes on in pandas; prints what is known of its records, as JSON.

connect_frames.py SERVER OUT
"""

import json
import sys
from pathlib import Path

from pyspark.sql import SparkSession

import headwater_pandas as hp
from headwater_records_spark import UntraceableError

server, out = sys.argv[1], Path(sys.argv[2])
spark = SparkSession.builder.remote(server).getOrCreate()
people = spark.createDataFrame([(n, f"TOKMAIL{n}") for n in range(4)], "id int, mail string")
plain = people.toPandas()

with hp.run("frames", namespace="science"):
    frame = people.toPandas()
    kept = frame[frame["id"] > 1]
    kept.to_csv(out / "kept.csv", index=False)

try:
    hp.origins(kept, 0, spark=spark)
    refused = ""
except UntraceableError as error:
    refused = str(error)
known = hp.why(kept, 0)[["dataset", "row"]].to_numpy().tolist()
print(json.dumps({"same": bool(plain.equals(frame)), "known": known, "refused": refused}))
