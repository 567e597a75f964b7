"""The jars that tests need beside Spark's own: fetched once with Maven by the poms in ``connectors/``, and kept."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from kit.spark_lines import SPARK_35, SPARK_41, SparkLine

DELTA = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.databricks.delta.snapshotPartitions": "1",
}
"""The settings of a session with Delta tables."""
ICEBERG = {
    "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
    "spark.sql.catalog.lake.type": "hadoop",
}
"""The settings of a session with Iceberg tables in the catalog ``lake``, whose warehouse is to be named."""
KAFKA = ("spark-sql-kafka", "spark-token-provider-kafka", "kafka-clients", "commons-pool2")
"""What the jars of the connector to Kafka begin with."""
LAKES = [
    pytest.param((SPARK_35, "delta"), id=f"delta-{SPARK_35}"),
    *(
        pytest.param((line, kind), id=f"{kind}-{line}", marks=pytest.mark.slow)
        for line, kind in ((SPARK_35, "iceberg"), (SPARK_41, "delta"), (SPARK_41, "iceberg"))
    ),
]
"""Lines with a format of tables: one in the normal run, all in the full one."""
POMS = Path(__file__).with_name("connectors")


def connectors(line: SparkLine) -> dict[str, Path]:
    """The line's jars by what their names begin with, such as ``delta`` or ``h2``."""
    folder = fetched(line.name, "-DexcludeTransitive=true")
    return {jar.stem: jar for jar in sorted(folder.glob("*.jar"))}


def jars(line: SparkLine, *kinds: str) -> str:
    """``spark.jars`` of the connectors whose names begin so."""
    found = [path for name, path in connectors(line).items() if name.startswith(kinds)]
    assert found, f"no connector of {line} is called {' or '.join(kinds)}"
    return ",".join(map(str, found))


def of_tables(line: SparkLine, kind: str, folder: Path) -> dict[str, str]:
    """The settings of a job over tables of Delta, or else of Iceberg, in a folder."""
    of_kind = (
        DELTA if kind == "delta" else {**ICEBERG, "spark.sql.catalog.lake.warehouse": str(folder / "lake")}
    )
    return {
        **of_kind,
        "spark.jars": jars(line, kind),
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
    }


def fetched(name: str, *options: str) -> Path:
    """The folder with the jars of the pom of that name; ``options`` are Maven's."""
    pom = POMS / f"{name}.pom.xml"
    folder = _cache() / f"{name}-{hashlib.sha256(pom.read_bytes()).hexdigest()[:12]}"
    if not folder.is_dir():
        with maven_to_itself():
            if not folder.is_dir():
                _fetch(pom, folder, options)
    return folder


@contextmanager
def maven_to_itself() -> Iterator[None]:
    """Wait until no other process is in this block: Maven's local repository is not made for two that write to it."""
    _cache().mkdir(parents=True, exist_ok=True)
    with (_cache() / "maven.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "headwater" / "connectors"


def _fetch(pom: Path, folder: Path, options: Sequence[str]) -> None:
    maven = shutil.which("mvn")
    if maven is None:
        pytest.fail("the connectors are fetched with Maven: install it")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as temporary:
        into = Path(temporary) / "jars"
        command = [maven, "-q", "-B", "-f", str(pom), "dependency:copy-dependencies"]
        done = subprocess.run(
            [*command, *options, f"-DoutputDirectory={into}"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, (done.stdout + done.stderr)[-2000:]
        into.rename(folder)
