"""The texts of modules in files that a program ships: single modules, and archives of them."""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import NamedTuple

MOST_BYTES = 1 << 20
"""Of one module, and of an archive's list."""
MOST_MODULES = 2_000
_KEPT = 32
_OF_OTHERS = frozenset(
    sys.stdlib_module_names | {"numpy", "pandas", "pyarrow", "pyspark", "py4j", "cloudpickle"}
)
"""What a worker has imported, or may have, before it looks into what was shipped."""


class Text(NamedTuple):
    """A module's source; ``package`` is what its relative imports begin from."""

    source: bytes
    file: str
    package: str


def texts_in(paths: Sequence[str]) -> Mapping[str, Text]:
    """The modules by name, without those that may be imported from several files, or from a folder."""
    found: dict[str, Text] = {}
    seen, uncertain = set[str](), set(_OF_OTHERS)
    for path in paths:
        texts = dict(_texts(path, *_state(path)))
        tops = {_top(name) for name in texts} | ({Path(path).name} if Path(path).is_dir() else set())
        uncertain |= tops & seen if texts else tops
        seen |= tops
        found |= texts
    return {name: text for name, text in found.items() if _top(name) not in uncertain}


def texts_beside(file: Path) -> Mapping[str, Text]:
    """The modules and packages in the folder of a program's file, as that imports them when it runs."""
    folder = file.resolve().parent
    found: dict[str, Text] = {}
    for each in sorted(folder.iterdir()):
        inner = [each] if each.suffix == ".py" else sorted(each.rglob("*.py")) if _is_package(each) else []
        if len(found) + len(inner) <= MOST_MODULES and each != file.resolve():
            parts = [
                (str(f.relative_to(folder)), f.read_bytes()) for f in inner if f.stat().st_size <= MOST_BYTES
            ]
            found |= dict(_named(parts))
    return {name: text for name, text in found.items() if _top(name) not in _OF_OTHERS}


def _is_package(path: Path) -> bool:
    return path.is_dir() and (path / "__init__.py").is_file()


def _top(name: str) -> str:
    return name.partition(".")[0]


def _state(path: str) -> tuple[int, int]:
    """What changes with the file's content."""
    try:
        state = Path(path).stat()
    except OSError:
        return 0, 0
    return state.st_mtime_ns, state.st_size


@lru_cache(maxsize=_KEPT)
def _texts(path: str, _: int, size: int) -> tuple[tuple[str, Text], ...]:
    """The modules of a file; none of what cannot be read, whose functions stay unread then."""
    try:
        if path.endswith(".py"):
            return tuple(_named([(Path(path).name, Path(path).read_bytes())] if size <= MOST_BYTES else []))
        with zipfile.ZipFile(path) as archive:
            return tuple(_named(_members(archive)))
    except (OSError, zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError):
        return ()


def _members(archive: zipfile.ZipFile) -> Iterator[tuple[str, bytes]]:
    members = [m for m in archive.infolist() if m.filename.endswith(".py")]
    for member in members[:MOST_MODULES]:
        if member.file_size <= MOST_BYTES:
            with archive.open(member) as file:
                yield member.filename, file.read(MOST_BYTES)


def _named(files: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, Text]]:
    for file, source in files:
        parts = PurePosixPath(file).with_suffix("").parts
        is_package = parts[-1] == "__init__" and len(parts) > 1
        own = parts[:-1] if is_package else parts
        if all(part.isidentifier() for part in own):
            name = ".".join(own)
            yield name, Text(source, file, name if is_package else ".".join(own[:-1]))
