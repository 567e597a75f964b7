"""The jar's own tests (``integration/jvm/src/test``), compiled against the installed Spark and run with each line's."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from kit import redaction
from kit.connectors import fetched
from kit.eye import JAR
from kit.shared import ROOT
from kit.spark_lines import LINES, SPARK_4, SparkLine, spark_home

TESTS = ROOT / "integration" / "jvm" / "src" / "test" / "java"
LIBRARIES = {
    "archunit-1.4.2.jar": "6d8adf69a3f109ebe1b395764feb07f919e9e0e2ab5e2ea141d2e6251ba7d17f",
    "junit-platform-console-standalone-1.11.4.jar": "b016ef6b1c3454d6d7c2c88ce081dabf289699686af6622d6e4e2e1b54b4a2fc",
}
"""What the tests are written with; what these need is among Spark's jars."""
OPENED = ("java.base/java.lang", "java.base/java.util", "java.base/sun.nio.ch")


def java(program: str) -> str:
    """A program of the JDK that builds the jar."""
    home = os.environ.get("JAVA_HOME")
    found = shutil.which(program, path=f"{home}/bin") if home else shutil.which(program)
    assert found, f"no {program}: `make test` finds or installs a JDK"
    return found


@pytest.fixture(scope="module")
def libraries() -> list[str]:
    """The paths of JUnit and of what checks the layers."""
    jars = sorted(fetched("junit", "-DexcludeTransitive=true").glob("*.jar"))
    assert {jar.name: hashlib.sha256(jar.read_bytes()).hexdigest() for jar in jars} == LIBRARIES
    return [str(jar) for jar in jars]


@pytest.fixture(scope="module")
def compiled(libraries: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tests' classes. They run on Spark 3.5 too, which is why they call nothing whose signature names a ``Seq``."""
    classes = tmp_path_factory.mktemp("classes")
    path = os.pathsep.join([str(JAR), *libraries, f"{spark_home(SPARK_4)}/jars/*"])
    options = ["-encoding", "UTF-8", "-nowarn", "-proc:none", "-cp", path, "-d", str(classes)]
    files = [str(file) for file in sorted(TESTS.rglob("*.java"))]
    done = subprocess.run([java("javac"), *options, *files], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    return classes


@pytest.mark.parametrize("line", LINES, ids=str)
def test_the_jars_own_tests_pass(
    line: SparkLine, libraries: list[str], compiled: Path, tmp_path: Path
) -> None:
    texts = tmp_path / "redaction.json"
    given = {"secret": redaction.SECRET, "nasty": redaction.NASTY, "harmless": redaction.HARMLESS}
    texts.write_text(json.dumps(given), "utf-8")
    path = os.pathsep.join([str(compiled), str(JAR), *libraries, f"{spark_home(line)}/jars/*"])
    opened = [f"--add-opens={each}=ALL-UNNAMED" for each in OPENED]
    settings = [
        f"-Dheadwater.test.redaction={texts}",
        f"-Dheadwater.test.jar={JAR}",
        "-XX:TieredStopAtLevel=1",
    ]
    launcher = ["org.junit.platform.console.ConsoleLauncher", "execute", "--disable-banner", "--details=none"]
    where = ["--disable-ansi-colors", f"--scan-classpath={compiled}"]
    done = subprocess.run(
        [java("java"), *opened, *settings, "-cp", path, *launcher, *where],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )

    # Without a test the launcher ends with 2.
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-2000:]
