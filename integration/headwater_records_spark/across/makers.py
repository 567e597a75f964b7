"""Which captured run wrote a file that another one read: by its path, and by what the file was when it was read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from py4j.protocol import Py4JJavaError

from headwater_records_spark.captured.store import Run, Store
from headwater_records_spark.inputs import Files, Input, Stamp, file_name
from headwater_records_spark.jvm import Jvm

NO_STAMP: Stamp = (0, 0)
"""Of files of tables with versions, which never change."""


class UnknownMakerError(Exception):
    """How a file was made is not known, though captured runs wrote to its folder; the message says why."""


@dataclass(frozen=True, slots=True)
class Made:
    """A run that was captured, and the folder that has its records."""

    store: Store
    run: Run


@dataclass(frozen=True, slots=True)
class Read:
    """What has been read: each file as it was, without those of tables with versions; and before which time.

    ``counts`` is how many records a reader that is not Spark found in files.
    """

    files: Files
    until: str
    counts: Mapping[str, int] = field(default_factory=dict)


def what_was_read(inputs: Iterable[Input], until: str) -> Read:
    """The files of some inputs."""
    return Read({path: stamp for each in inputs for path, stamp in stamps(each.files).items()}, until)


def stamps(files: Files) -> Files:
    """What files were, by their paths in one way to write them."""
    return {file_name(path): stamp for path, stamp in files.items()}


class Makers:
    """All captured runs of some folders, the oldest first."""

    def __init__(self, jvm: Jvm, stores: Iterable[Store]) -> None:
        self._jvm = jvm
        runs = [Made(store, run) for store in stores for run in store.runs()]
        self.runs = sorted(runs, key=lambda each: (each.run.written, each.run.run))
        self._paths: dict[str, str] = {}
        self._of: dict[str, list[tuple[Made, Stamp]]] = {}
        for each in self.runs:
            for path, stamp in stamps(each.run.output.files).items():
                self._of.setdefault(path, []).append((each, stamp))
        self._roots = {file_name(each.run.output.root) for each in self.runs if each.run.output.root}
        self._real: dict[str, str] = {}
        self._real_roots = {self.behind_links(root) for root in self._roots}

    def of(self, file: str, read: Read) -> Made | None:
        """The run that wrote it as it was read, None if no captured run wrote there; see ``UnknownMakerError``."""
        path = self.path(file)
        stamp = read.files.get(path, NO_STAMP)
        made = self._of.get(path, [])
        for each, written in reversed(made):
            # A run that changes a table reads files that stay in its own output: of these it is not the maker.
            before = each.run.written < read.until
            if before if NO_STAMP in (written, stamp) else written == stamp:
                return each
        if made:
            raise UnknownMakerError("it was changed after it had been captured, and before it was read")
        if any(path.startswith(root + "/") for root in self._roots):
            raise UnknownMakerError("captured runs wrote to its folder, and not this file")
        if any(self.behind_links(path).startswith(root + "/") for root in self._real_roots):
            raise UnknownMakerError(
                "captured runs wrote to its folder by another name, which a link leads to or from"
            )
        return None

    def path(self, file: str) -> str:
        """The path of a file that rows name: by its path, as Iceberg does, or else by an address."""
        if file not in self._paths:
            path = file_name(file)
            self._paths[file] = path if path in self._of else self.decoded(file)
        return self._paths[file]

    def behind_links(self, path: str) -> str:
        """The path of a file of this machine without symbolic links; others stay as they are."""
        if path not in self._real:
            scheme, _, rest = path.partition(":/")
            real = file_name(f"file:{os.path.realpath('/' + rest)}") if scheme == "file" else path
            self._real[path] = real
        return self._real[path]

    def decoded(self, file: str) -> str:
        """The path of an address; what is none is a path."""
        try:
            address = self._jvm.type("java.net.URI")(file)
            return file_name(str(self._jvm.type("org.apache.hadoop.fs.Path")(address).toString()))
        except Py4JJavaError:
            return file_name(file)
