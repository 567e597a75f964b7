"""An archive of the classes that Spark loads, for each line: with it, a JVM needs half of the processor time to start.

The JVM takes classes out of an archive if its class path begins with that of the program that made it. So programs of
tests have Spark's jars in front, by ``spark.driver.extraClassPath``; without that, and with another Java, they load
classes as ever. The archive is made when it is first needed, and kept beside the interpreter of the line.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import tempfile
import warnings
from collections.abc import Mapping
from functools import cache
from pathlib import Path

CLASS_PATH = "spark.driver.extraClassPath"
PROGRAM = Path(__file__).with_name("class_archive_program.py")
QUIET = "-Xlog:disable"
"""A JVM that cannot use the archive says so on standard output otherwise."""


def class_path(home: Path | None, others: str = "") -> dict[str, str]:
    """The setting that puts the jars of the Spark there in front of everything else: of the class path ``others``."""
    parts = (f"{home}/jars/*" if home else "", others)
    return {CLASS_PATH: os.pathsep.join(filter(None, parts))} if any(parts) else {}


def in_front(home: Path | None, settings: Mapping[str, str]) -> dict[str, str]:
    """The settings of a program, with the jars of the Spark there in front of the class path that they have."""
    return {**settings, **class_path(home, settings.get(CLASS_PATH, ""))}


@cache
def defaults(python: Path, home: Path | None) -> Path:
    """A folder with that setting among Spark's defaults, beside the interpreter; for ``SPARK_CONF_DIR``."""
    folder = python.parent.parent / "spark-defaults"
    folder.mkdir(exist_ok=True)
    lines = [f"{key} {value}\n" for key, value in class_path(home).items()]
    (folder / "spark-defaults.conf").write_text("".join(lines), "utf-8")
    return folder


@cache
def options(python: Path, home: Path | None, others: str) -> str:
    """The options of a JVM that uses the archive, beside others, with which it is made; empty if it cannot be made."""
    if home is None:
        return ""
    archive = python.parent.parent / f"spark-classes-{_key(home, others)}.jsa"
    with archive.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not archive.exists():
            _make(archive, python, home, others)
    return f"-XX:SharedArchiveFile={archive} {QUIET}" if archive.exists() else ""


def _key(home: Path, others: str) -> str:
    """A short hash of what an archive is valid for."""
    java = Path(os.environ.get("JAVA_HOME", ""), "release")
    files = [(file.name, file.stat().st_mtime_ns) for file in sorted(home.glob("jars/spark-*.jar"))]
    known = [str(home), others, java.read_text("utf-8") if java.is_file() else "", files]
    return hashlib.sha256(repr(known).encode()).hexdigest()[:12]


def _make(archive: Path, python: Path, home: Path, others: str) -> None:
    with tempfile.TemporaryDirectory(prefix="headwater-classes-") as folder:
        made = Path(folder, archive.name)
        settings = {
            **class_path(home),
            "spark.master": "local[2]",
            "spark.ui.enabled": "false",
            "spark.sql.shuffle.partitions": "1",
        }
        environment = {key: value for key, value in os.environ.items() if not key.startswith("SPARK_")}
        environment |= {
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_SUBMIT_OPTS": f"{others} -XX:ArchiveClassesAtExit={made} {QUIET}",
            "PYSPARK_PYTHON": str(python),
        }
        given = [word for key, value in settings.items() for word in ("--conf", f"{key}={value}")]
        done = subprocess.run(
            [home / "bin" / "spark-submit", *given, PROGRAM],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        if done.returncode or not made.exists():
            warnings.warn(f"Sparks start slowly: no archive of classes, {done.stderr[-500:]}", stacklevel=2)
            return
        # Another device may have the folder: the copy is complete before it has the archive's name.
        part = archive.with_suffix(".part")
        part.write_bytes(made.read_bytes())
        part.rename(archive)
