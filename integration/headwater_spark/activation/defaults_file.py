"""Switches the agent on and off in a ``spark-defaults.conf`` that is somebody's own.

Theory of operation. Of a key given twice Spark takes the last line, so adding lines blindly can drop a setting of the
user's. Only one of our keys is a list that others use, the driver's class path: where the file sets it, our jar is
added to that line, the last one that does. All else goes into a block of our own at the end::

    spark.driver.extraClassPath /opt/x.jar:/opt/headwater-spark.jar         was /opt/x.jar
    # >>> headwater …
    # added to spark.driver.extraClassPath: /opt/headwater-spark.jar
    spark.metrics.conf.driver.source.headwater.class …
    # <<< headwater

Taking out reverts both, whatever else was edited since, and puts back each byte; putting in begins with taking out, so
that doing it twice is doing it once. What cannot be kept apart from the user's own lines is refused, by line number.
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
    """The file is left as it is."""

    code = "DEFAULTS_FILE"


class _Block(NamedTuple):
    """Our lines: where they begin and end, and what else ``with_agent`` did."""

    begin: int
    end: int
    also: str
    jar: str | None
    """The jar that was added to a line of the user's, as it is written there."""


def put_into(file: Path, settings: Mapping[str, str], *, is_python_asked: bool = False) -> None:
    """Switch the agent on with these settings, in place of those of an earlier call.

    A ``spark.headwater.python`` of the user's stays unless ``is_python_asked``. Raises ``DefaultsFileError`` and
    ``OSError``; the file is then as it was.
    """
    _change(file, lambda before: with_agent(before, settings, is_python_asked=is_python_asked))


def take_out_of(file: Path) -> bool:
    """Undo ``put_into``; False where the agent was not in. Raises what it does."""
    return _change(file, without_agent)


def with_agent(text: str | None, settings: Mapping[str, str], *, is_python_asked: bool = False) -> str:
    """The file's text with the agent in it; None stands for no file. Raises ``DefaultsFileError``."""
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
    """The file's text as it was before ``with_agent``; None where there was no file. Raises ``DefaultsFileError``."""
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
    """What keeps the file from switching the agent on, or endangers a job: a sentence each. Raises ``OSError``."""
    try:
        found = _read(physical_lines(_text(file) or ""))
    except DefaultsFileError as error:
        yield str(error)
        return
    last = {entry.key: entry for entry in found}
    yield from _given_twice(found)
    yield from _deadly(found)
    if SOURCE_KEY not in last:
        yield f"the agent is not switched on: no line sets {SOURCE_KEY}"
        return
    yield from _class_path_problems(last.get(CLASS_PATH_KEY))
    yield from _python_problems(last.get(PYTHON_KEY))


def _given_twice(found: Iterable[Entry]) -> Iterator[str]:
    by_key: dict[str, list[Entry]] = defaultdict(list)
    for entry in found:
        by_key[entry.key].append(entry)
    for key, given in by_key.items():
        if len({entry.value for entry in given}) > 1:
            numbers = ", ".join(str(entry.first) for entry in given[:-1])
            yield f"line {numbers} sets {key}, and so does line {given[-1].first}, which alone counts"


def _deadly(found: Iterable[Entry]) -> Iterator[str]:
    for entry in found:
        if _OUR_CLASSES in entry.value and entry.key != SOURCE_KEY:
            yield (
                f"line {entry.first} names a class of Headwater's in {entry.key}:"
                " a job that replaces the path to its jar ends at its start"
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
        command = [entry.value, "-c", "import headwater_spark.brain"]
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
        raise DefaultsFileError(str(error), "Spark cannot read it either; mend it first") from error


def _block(lines: list[str]) -> _Block | None:
    begins = [index for index, line in enumerate(lines) if line.startswith(BEGIN)]
    ends = [index for index, line in enumerate(lines) if line.startswith(END)]
    if not begins and not ends:
        return None
    if len(begins) != 1 or len(ends) != 1 or begins > ends:
        numbers = ", ".join(str(index + 1) for index in sorted([*begins, *ends]))
        raise DefaultsFileError(
            f"Headwater's block is damaged: its first and last line are not one pair (line {numbers})",
            "take the lines of the block out by hand",
        )
    (begin,), (end,) = begins, ends
    jars = [line.rstrip("\r\n").removeprefix(_ADDED) for line in lines[begin:end] if line.startswith(_ADDED)]
    return _Block(begin, end, lines[begin].rstrip("\r\n").removeprefix(BEGIN), next(iter(jars), None))


def _refuse_ours(found: Iterable[Entry]) -> None:
    for entry in found:
        if _OUR_CLASSES in entry.value or JAR_NAME in entry.value:
            raise DefaultsFileError(
                f"line {entry.first} ({entry.key}) switches Headwater on already",
                "take it out of the file first",
            )


def _not_in(own: Mapping[str, Entry], wanted: Mapping[str, str]) -> dict[str, str]:
    """Those that the user's own lines do not set alike."""
    for key, value in wanted.items():
        if key in own and own[key].value != value:
            raise DefaultsFileError(
                f"line {own[key].first} sets {key} to another value",
                "take it out of the file, or ask for that value",
            )
    return {key: value for key, value in wanted.items() if key not in own}


def _add_jar(lines: list[str], entry: Entry, jar: str) -> None:
    line = lines[entry.last - 1]
    content = line.rstrip(" \t\f\r\n")
    if content.endswith("\\") or (not entry.value and entry.last > entry.first):
        raise DefaultsFileError(
            f"line {entry.first} goes on behind its end, into nothing", "take the backslash out of the file"
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
    """Write what ``change`` makes of the file's text, whole or not at all; whether it differs."""
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
            _as_before(file, Path(unfinished.name))
            if _text(file) != before:
                raise DefaultsFileError(f"{file} was changed meanwhile", "try again")
            Path(unfinished.name).replace(file)
        except BaseException:
            Path(unfinished.name).unlink(missing_ok=True)
            raise


def _as_before(file: Path, unfinished: Path) -> None:
    """Mode and owner of the file that is replaced; those of a new one where there was none."""
    if not file.exists():
        unfinished.chmod(0o644)
        return
    copymode(file, unfinished)
    known = file.stat()
    with suppress(PermissionError):
        os.chown(unfinished, known.st_uid, known.st_gid)
