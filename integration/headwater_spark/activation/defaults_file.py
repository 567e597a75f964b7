"""Switches the agent on and off in an existing ``spark-defaults.conf``.

Theory of operation. For a key in several lines Spark uses the last one, so appending lines could override a setting of
the user. Only one of the agent's keys is a list that others use, the driver's class path: if the file sets it, the jar
is added to the last line that does. All other lines are in a block at the end::

    spark.driver.extraClassPath /opt/x.jar:/opt/headwater-spark.jar         was /opt/x.jar
    # >>> headwater …
    # added to spark.driver.extraClassPath: /opt/headwater-spark.jar
    spark.metrics.conf.driver.source.headwater.class …
    # <<< headwater

``take_out_of`` reverts both to the byte, even if other lines have been edited since. ``put_into`` reverts first, so
that calling it twice is the same as once. A file in which the agent's lines cannot be separated from the user's is
rejected with the line number.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from shutil import copymode
from typing import NamedTuple

from headwater_spark.activation.agent_settings import (
    CLASS_PATH_KEY,
    JAR_NAME,
    PYTHON_KEY,
    SOURCE_KEY,
    ActivationError,
    as_lines,
    escaped,
)
from headwater_spark.activation.defaults import Entry, MalformedLineError, entries, physical_lines

BEGIN = "# >>> headwater: `headwater spark-conf --remove FILE` takes this out"
END = "# <<< headwater"
_NEW_FILE = ", and this file"
_NO_NEWLINE = ", and the line end above"
_ADDED = f"# added to {CLASS_PATH_KEY}: "
_OUR_CLASSES = "io.headwater.spark."
_PATIENCE = 30.0  # seconds for an interpreter to import us


class DefaultsFileError(ActivationError):
    """The file cannot be edited, and is unchanged."""

    code = "DEFAULTS_FILE"


class _Block(NamedTuple):
    """The agent's block: its first and last line, and the other changes of ``with_agent``."""

    begin: int
    end: int
    also: str
    jar: str | None
    """The jar that was added to a line of the user, escaped as in the file."""


def put_into(file: Path, settings: Mapping[str, str], *, is_python_asked: bool = False) -> None:
    """Switch the agent on with these settings, which replace those of an earlier call.

    The user's own ``spark.headwater.python`` is kept unless ``is_python_asked``. Raises ``DefaultsFileError`` and
    ``OSError``; the file is then unchanged.
    """
    _change(file, lambda before: with_agent(before, settings, is_python_asked=is_python_asked))


def take_out_of(file: Path) -> bool:
    """Undo ``put_into``; False if the agent was not in the file. Raises the same errors."""
    return _change(file, without_agent)


def with_agent(text: str | None, settings: Mapping[str, str], *, is_python_asked: bool = False) -> str:
    """The file's text with the agent switched on; ``text`` is None if no file exists. Raises ``DefaultsFileError``."""
    own = without_agent(text)
    lines = physical_lines(own or "")
    last = {entry.key: entry for entry in _read(lines)}
    _refuse_ours(last.values())
    wanted = {
        key: value
        for key, value in settings.items()
        if key != PYTHON_KEY or key not in last or is_python_asked
    }
    body = []
    if CLASS_PATH_KEY in last:
        jar = escaped(wanted.pop(CLASS_PATH_KEY))
        _add_jar(lines, last[CLASS_PATH_KEY], jar)
        body.append(_ADDED + jar)
    body += as_lines(_not_in(last, wanted))
    new = "\r\n" if any(line.endswith("\r\n") for line in lines) else "\n"
    also = _NEW_FILE if own is None else ""
    if lines and not lines[-1].endswith(("\r", "\n")):
        lines[-1] += new
        also = _NO_NEWLINE
    return "".join(lines) + new.join([BEGIN + also, *body, END, ""])


def without_agent(text: str | None) -> str | None:
    """The file's text before ``with_agent``; None if no file existed. Raises ``DefaultsFileError``."""
    lines = physical_lines(text or "")
    block = _block(lines)
    if block is None:
        return text
    before, after = lines[: block.begin], lines[block.end + 1 :]
    if block.also == _NO_NEWLINE and not after:
        before[-1:] = [line.rstrip("\r\n") for line in before[-1:]]
    rest = [*before, *after]
    if block.jar is not None:
        _drop_jar(rest, block.jar)
    return None if block.also == _NEW_FILE and not rest else "".join(rest)


def problems(file: Path) -> Iterator[str]:
    """Yield a sentence for each setting that keeps the agent off or endangers a job. Raises ``OSError``."""
    try:
        found = _read(physical_lines(_text(file) or ""))
    except DefaultsFileError as error:
        yield str(error)
        return
    last = {entry.key: entry for entry in found}
    yield from _overridden(found)
    yield from _fatal(found)
    if SOURCE_KEY not in last:
        yield f"the agent is not switched on: no line sets {SOURCE_KEY}"
        return
    yield from _class_path_problems(last.get(CLASS_PATH_KEY))
    yield from _python_problems(last.get(PYTHON_KEY))


def _overridden(found: Iterable[Entry]) -> Iterator[str]:
    by_key: dict[str, list[Entry]] = defaultdict(list)
    for entry in found:
        by_key[entry.key].append(entry)
    for key, given in by_key.items():
        if len({entry.value for entry in given}) > 1:
            numbers = ", ".join(str(entry.first) for entry in given[:-1])
            yield f"line {numbers} sets {key}, but line {given[-1].first} overrides it"


def _fatal(found: Iterable[Entry]) -> Iterator[str]:
    for entry in found:
        if _OUR_CLASSES in entry.value and entry.key != SOURCE_KEY:
            yield (
                f"line {entry.first} names a class of Headwater in {entry.key}:"
                " a job that replaces the path to its jar fails at its start"
            )


def _class_path_problems(entry: Entry | None) -> Iterator[str]:
    parts = entry.value.split(os.pathsep) if entry else []
    jars = [Path(part) for part in parts if part.endswith(JAR_NAME)]
    if not jars:
        where = f"line {entry.first}" if entry else "the file"
        yield f"{where} does not have the agent's jar in {CLASS_PATH_KEY}"
    for jar in jars:
        if not jar.is_file():
            yield f"the jar {jar} does not exist on this machine"


def _python_problems(entry: Entry | None) -> Iterator[str]:
    if entry is None:
        return
    try:
        command = [entry.value, "-c", "import headwater_spark.conversion"]
        code = subprocess.run(command, capture_output=True, timeout=_PATIENCE, check=False).returncode
    except (OSError, subprocess.TimeoutExpired) as error:
        yield f"line {entry.first}: {entry.value} cannot be run on this machine ({type(error).__name__})"
        return
    if code:
        yield f"line {entry.first}: Headwater is not installed for {entry.value}"


def _read(lines: Iterable[str]) -> list[Entry]:
    try:
        return list(entries("".join(lines)))
    except MalformedLineError as error:
        raise DefaultsFileError(str(error), "Spark cannot read it either; fix it first") from error


def _block(lines: list[str]) -> _Block | None:
    begins = [index for index, line in enumerate(lines) if line.startswith(BEGIN)]
    ends = [index for index, line in enumerate(lines) if line.startswith(END)]
    if not begins and not ends:
        return None
    if len(begins) != 1 or len(ends) != 1 or begins > ends:
        numbers = ", ".join(str(index + 1) for index in sorted([*begins, *ends]))
        raise DefaultsFileError(
            f"Headwater's block is damaged: it does not have one first and one last line (line {numbers})",
            "remove the lines of the block by hand",
        )
    (begin,), (end,) = begins, ends
    jars = [line.rstrip("\r\n").removeprefix(_ADDED) for line in lines[begin:end] if line.startswith(_ADDED)]
    return _Block(begin, end, lines[begin].rstrip("\r\n").removeprefix(BEGIN), next(iter(jars), None))


def _refuse_ours(found: Iterable[Entry]) -> None:
    for entry in found:
        if _OUR_CLASSES in entry.value or JAR_NAME in entry.value:
            raise DefaultsFileError(
                f"line {entry.first} ({entry.key}) switches Headwater on already",
                "remove it from the file first",
            )


def _not_in(own: Mapping[str, Entry], wanted: Mapping[str, str]) -> dict[str, str]:
    """The settings that the user's own lines do not contain. Raises ``DefaultsFileError`` for different values."""
    for key, value in wanted.items():
        if key in own and own[key].value != value:
            raise DefaultsFileError(
                f"line {own[key].first} sets {key} to another value",
                "remove it from the file, or request the same value",
            )
    return {key: value for key, value in wanted.items() if key not in own}


def _add_jar(lines: list[str], entry: Entry, jar: str) -> None:
    line = lines[entry.last - 1]
    content = line.rstrip(" \t\f\r\n")
    if content.endswith("\\") or (not entry.value and entry.last > entry.first):
        raise DefaultsFileError(
            f"line {entry.first} ends with a backslash, but no line follows", "remove the backslash"
        )
    separator = os.pathsep if entry.value else " "
    lines[entry.last - 1] = f"{content}{separator}{jar}{line[len(content) :]}"


def _drop_jar(lines: list[str], jar: str) -> None:
    for entry in _read(lines):
        if entry.key == CLASS_PATH_KEY:
            line = lines[entry.last - 1]
            lines[entry.last - 1] = line.replace(f"{os.pathsep}{jar}", "", 1).replace(f" {jar}", "", 1)


def _text(file: Path) -> str | None:
    try:
        return file.read_bytes().decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        return None


def _change(file: Path, change: Callable[[str | None], str | None]) -> bool:
    """Replace the file's text by ``change`` of it, atomically; whether it is different."""
    place = file.resolve()
    before = _text(place)
    after = change(before)
    if after == before:
        return False
    if after is None:
        place.unlink()
        return True
    _replace(place, before, after)
    return True


def _replace(file: Path, before: str | None, after: str) -> None:
    with tempfile.NamedTemporaryFile(dir=file.parent, prefix=f".{file.name}.", delete=False) as unfinished:
        try:
            unfinished.write(after.encode("utf-8", "surrogateescape"))
            unfinished.flush()
            os.fsync(unfinished.fileno())
            _copy_permissions(file, Path(unfinished.name))
            if _text(file) != before:
                raise DefaultsFileError(f"{file} was changed in the meantime", "try again")
            Path(unfinished.name).replace(file)
        except BaseException:
            Path(unfinished.name).unlink(missing_ok=True)
            raise


def _copy_permissions(file: Path, unfinished: Path) -> None:
    """Set mode and owner to those of the file that is replaced, or to the defaults if it does not exist."""
    if not file.exists():
        unfinished.chmod(0o644)
        return
    copymode(file, unfinished)
    known = file.stat()
    with suppress(PermissionError):
        os.chown(unfinished, known.st_uid, known.st_gid)
