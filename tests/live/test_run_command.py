"""`headwater run`, where a server asks for a key and the virtual environment is not activated."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from kit.class_archive import class_path
from kit.jobs import SETTINGS
from kit.receiver import Receiver
from kit.spark_lines import SPARK_4, short_lived

pytestmark = pytest.mark.spark

JOB = """\
import sys
from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.getOrCreate()
python = F.udf(lambda _: sys.prefix, "string")
print("WORKERS", spark.range(1).select(python("id")).first()[0])
spark.range(3).write.mode("overwrite").parquet("out")
spark.stop()
"""


def test_run_sends_the_key_and_gives_workers_its_own_python(tmp_path: Path) -> None:
    job, conf = tmp_path / "job.py", tmp_path / "conf"
    job.write_text(JOB, "utf-8")
    conf.mkdir()
    settings = {**SETTINGS, **class_path(SPARK_4.home)}
    lines = [f"{key} {value}" for key, value in settings.items()]
    (conf / "spark-defaults.conf").write_text("\n".join(lines), "utf-8")
    dropped = {"VIRTUAL_ENV", "PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON", "HEADWATER_API_KEY_FILE"}
    environment = {
        **{key: value for key, value in os.environ.items() if key not in dropped},
        **short_lived(SPARK_4),
        "PATH": os.pathsep.join(each for each in os.environ["PATH"].split(os.pathsep) if "venv" not in each),
        "SPARK_CONF_DIR": str(conf),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "HEADWATER_API_KEY": "the key",
    }
    with Receiver() as receiver:
        done = subprocess.run(
            [str(SPARK_4.python), "-m", "headwater_cli", "run", "--url", receiver.url, str(job)],
            cwd=tmp_path,
            env={**environment, "PYTHONPATH": os.environ.get("PYTHONPATH", "")},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    assert done.returncode == 0, done.stderr
    assert f"WORKERS {SPARK_4.python.parents[1]}" in done.stdout
    assert {headers.get("Authorization") for _, headers in receiver.requests} == {"Bearer the key"}
    assert {"START", "COMPLETE"} <= {event["eventType"] for event in receiver.events}
