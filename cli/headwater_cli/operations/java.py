"""Detection of Java: Spark needs a runtime, and building the jar a JDK."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from headwater_cli.terminal.errors import CommandError

OLDEST = 17
INSTALL = (
    "brew install openjdk@17" if sys.platform == "darwin" else "sudo apt-get install openjdk-17-jdk-headless"
)


def java_program(name: str = "java") -> Path | None:
    """Return the path of ``java`` or ``javac`` as Spark finds it: in JAVA_HOME if it is set, else on PATH."""
    home = os.environ.get("JAVA_HOME")
    folder = str(Path(home) / "bin") if home else None
    found = shutil.which(name, path=folder)
    return Path(found) if found else None


def java_version() -> int | None:
    """Return the major version of ``java``; None if it is missing or does not run (like the stub on macOS)."""
    program = java_program()
    if program is None:
        return None
    output = subprocess.run([str(program), "-version"], capture_output=True, text=True, check=False).stderr
    found = re.search(r'version "(?:1\.)?(\d+)', output)
    return int(found.group(1)) if found else None


def require_java() -> int:
    """Return the version; raise ``CommandError`` if Java is missing, or too old for Spark 4."""
    version = java_version()
    home = os.environ.get("JAVA_HOME")
    if version is None:
        where = f"JAVA_HOME={home} has no java" if home else "java is not on PATH"
        raise CommandError("JAVA_MISSING", f"Spark needs Java {OLDEST} or newer; {where}", INSTALL)
    if version < OLDEST:
        raise CommandError("JAVA_TOO_OLD", f"Spark needs Java {OLDEST} or newer; found {version}", INSTALL)
    return version
