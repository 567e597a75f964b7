"""Builds the eye: ``integration/jvm/src`` -> ``integration/headwater_spark/jars/headwater-spark.jar``.

Needs a JDK (17 or newer; ``JAVA_HOME`` first, else ``javac`` on the path) and pyspark, whose jars are what is
compiled against; either supported line gives a jar that runs on both. The jar is reproducible: sorted entries,
one fixed time, and it is only rebuilt when a source, the version or this file changed. Exit codes: 0 built or
up to date, 1 the sources do not compile, 2 something is missing.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SOURCES = HERE / "src" / "main" / "java"
JAR = ROOT / "integration" / "headwater_spark" / "jars" / "headwater-spark.jar"
# Spark 3.5 still runs on Java 8.
RELEASE = "8"
EPOCH = (1980, 1, 1, 0, 0, 0)


class MissingError(Exception):
    """Something that the build needs is not there; the text says how to get it."""


def build(target: Path = JAR, *, force: bool = False) -> bool:
    """Build the jar; False when the one that is there is up to date.

    Raises ``MissingError`` (no JDK, no pyspark) and ``subprocess.CalledProcessError`` (the sources do not compile).
    """
    digest = _digest()
    if not force and _digest_of(target) == digest:
        return False
    javac, spark = _javac(), _spark_jars()
    with tempfile.TemporaryDirectory() as folder:
        classes = Path(folder)
        _compile(javac, spark, classes)
        _pack(classes, _manifest(digest), target)
    return True


def _javac() -> Path:
    home = os.environ.get("JAVA_HOME")
    if home and (found := shutil.which("javac", path=str(Path(home) / "bin"))):
        return Path(found)
    if found := shutil.which("javac"):
        return Path(found)
    raise MissingError(
        "no Java compiler: install a JDK 17 or newer"
        " (Debian, Ubuntu: apt-get install openjdk-17-jdk-headless; macOS: brew install openjdk@17)"
        " or let JAVA_HOME name one"
    )


def _spark_jars() -> Path:
    spec = importlib.util.find_spec("pyspark")
    if spec is None or spec.origin is None:
        raise MissingError(f"no pyspark for {sys.executable}: pip install 'pyspark>=3.5,<5'")
    jars = Path(spec.origin).parent / "jars"
    if not any(jars.glob("spark-sql_*.jar")):
        raise MissingError(f"{jars} holds no Spark (pyspark-client has none): pip install 'pyspark>=3.5,<5'")
    return jars


def _compile(javac: Path, spark: Path, classes: Path) -> None:
    options = ["--release", RELEASE, "-encoding", "UTF-8", "-nowarn", "-Xlint:-options", "-proc:none"]
    files = [str(file) for file in _files()]
    subprocess.run(
        [str(javac), *options, "-cp", str(spark / "*"), "-d", str(classes), *files],
        check=True,
    )


def _files() -> list[Path]:
    return sorted(SOURCES.rglob("*.java"))


def _digest() -> str:
    digest = hashlib.sha256(_version().encode())
    for file in [Path(__file__), *_files()]:
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


def _digest_of(jar: Path) -> str | None:
    try:
        with zipfile.ZipFile(jar) as opened:
            manifest = opened.read("META-INF/MANIFEST.MF").decode()
    except (OSError, KeyError, zipfile.BadZipFile):
        return None
    # A manifest's lines end after 72 bytes and go on behind a space.
    found = re.search(r"^Headwater-Sources: (\w+)\s*$", manifest.replace("\r\n ", ""), re.MULTILINE)
    return found.group(1) if found else None


def _version() -> str:
    found = re.search(r'^version = "([^"]+)"', (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
    if found is None:
        raise MissingError(f"{ROOT / 'pyproject.toml'} names no version")
    return found.group(1)


def _manifest(digest: str) -> bytes:
    lines = [
        "Manifest-Version: 1.0",
        "Implementation-Title: headwater-spark",
        f"Implementation-Version: {_version()}",
        f"Headwater-Sources: {digest[:40]}",
        f" {digest[40:]}",
    ]
    return "".join(f"{line}\r\n" for line in [*lines, ""]).encode()


def _pack(classes: Path, manifest: bytes, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED) as jar:
            version = ("io/headwater/spark/version.txt", f"{_version()}\n".encode())
            for name, content in [("META-INF/MANIFEST.MF", manifest), *_classes(classes), version]:
                entry = zipfile.ZipInfo(name, EPOCH)
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.external_attr = 0o644 << 16
                jar.writestr(entry, content)
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)


def _classes(folder: Path) -> Iterator[tuple[str, bytes]]:
    for file in sorted(folder.rglob("*.class")):
        yield file.relative_to(folder).as_posix(), file.read_bytes()


def main() -> int:
    parser = argparse.ArgumentParser(description="Build the jar that Spark loads.")
    parser.add_argument("--force", action="store_true", help="build even when nothing changed")
    parser.add_argument("--output", type=Path, default=JAR, help="where to write the jar")
    arguments = parser.parse_args()
    try:
        built = build(arguments.output, force=arguments.force)
    except MissingError as missing:
        print(f"cannot build the jar: {missing}", file=sys.stderr)  # noqa: T201 - a command's message
        return 2
    except subprocess.CalledProcessError:
        print("cannot build the jar: the sources do not compile (see above)", file=sys.stderr)  # noqa: T201
        return 1
    print(f"{arguments.output} {'built' if built else 'is up to date'}")  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
