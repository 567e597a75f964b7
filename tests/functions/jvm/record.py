"""Records the instructions of the sample functions: ``python -m functions.jvm.record`` with a JDK and the built jar."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
RECORDED = HERE / "samples.ndjson"
JAR = HERE.parents[2] / "integration" / "headwater_spark" / "jars" / "headwater-spark.jar"
_HIDDEN = re.compile(r"\$\$Lambda\$?\d*/0x[0-9a-f]+")
"""What differs from run to run in the name of a lambda's class."""


def classpath() -> str:
    """Spark, and what describes functions."""
    spec = importlib.util.find_spec("pyspark")
    assert spec is not None and spec.origin is not None
    return f"{JAR}{os.pathsep}{Path(spec.origin).parent / 'jars'}/*"


def samples() -> str:
    """What the sample functions are described as, one a line."""
    home, path = Path(os.environ["JAVA_HOME"]) / "bin", classpath()
    with tempfile.TemporaryDirectory() as folder:
        options = ["--release", "17", "-cp", path, "-d", folder]
        subprocess.run([str(home / "javac"), *options, str(HERE / "Samples.java")], check=True)
        command = [str(home / "java"), "-cp", f"{folder}{os.pathsep}{path}", "Samples"]
        printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return _HIDDEN.sub("$$Lambda", printed)


if __name__ == "__main__":
    RECORDED.write_text(samples(), "utf-8")
