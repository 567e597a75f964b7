"""Which Java there is: Spark needs one to run, and building the jar a JDK."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from headwater_cli.terminal.errors import Failure

OLDEST = 17
INSTALL = (
    "brew install openjdk@17" if sys.platform == "darwin" else "sudo apt-get install openjdk-17-jdk-headless"
)


def java_program(name: str = "java") -> Path | None:
    """``java`` or ``javac`` as Spark finds it: in JAVA_HOME where that is set, else on the path."""
    home = os.environ.get("JAVA_HOME")
    folder = str(Path(home) / "bin") if home else None
    found = shutil.which(name, path=folder)
    return Path(found) if found else None


def java_version() -> int | None:
    """The main version of ``java``; None without one that runs (macOS has a ``java`` that only says so)."""
    program = java_program()
    if program is None:
        return None
    said = subprocess.run([str(program), "-version"], capture_output=True, text=True, check=False).stderr
    found = re.search(r'version "(?:1\.)?(\d+)', said)
    return int(found.group(1)) if found else None


def require_java() -> int:
    """The version; raises ``Failure`` when there is none, or it is too old for Spark 4."""
    version = java_version()
    home = os.environ.get("JAVA_HOME")
    if version is None:
        where = f"JAVA_HOME={home} has no java" if home else "there is no java on the path"
        raise Failure("JAVA_MISSING", f"Spark needs Java {OLDEST} or newer, and {where}", INSTALL)
    if version < OLDEST:
        raise Failure("JAVA_TOO_OLD", f"Spark needs Java {OLDEST} or newer; this is {version}", INSTALL)
    return version
