"""Keeps beside the data what is needed to ask later which records a written output was made of."""

from __future__ import annotations

import threading
import time
import uuid
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import datetime, timezone
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from headwater_records_spark.captured.carried.carrying import Carried, Carrier
from headwater_records_spark.captured.changes.change import Change
from headwater_records_spark.captured.changes.commands import change_of, output_at, read_by
from headwater_records_spark.captured.listening import Commands, after_writes
from headwater_records_spark.captured.questions import Written
from headwater_records_spark.captured.reporting import report
from headwater_records_spark.captured.store import Output, Run, Store
from headwater_records_spark.captured.tables import RECORDS, ends, full
from headwater_records_spark.captured.writes import (
    COMMAND,
    OTHER_WRITES,
    fingerprint,
    output_of,
    rows_of,
    target_of,
    write_of,
)
from headwater_records_spark.errors import RecordsError, UnrepeatableError, UntraceableError
from headwater_records_spark.inputs import as_read, at_versions, inputs_of, unchanged
from headwater_records_spark.jvm import Jvm, analysed, kind
from headwater_records_spark.operators.python_functions import OTHER_INPUT
from headwater_records_spark.rebuild import Rebuilt


class RecordsWarning(UserWarning):
    """Of one write nothing was kept that could be asked about; the write itself is as it would have been."""


Mode = Callable[[Store, Run, Rebuilt], Run]
"""Keeps what it has to, of a run with its plan; that is what the write ran, if the run says that it carried ids."""


def demand(store: Store, run: Run, rebuilt: Rebuilt) -> Run:
    """Only what the inputs were: the plan is built again when somebody asks."""
    del store, rebuilt
    return run


MODES: dict[str, Mode] = {"demand": demand, "ends": ends, "full": full}
_KEPT_IN: set[str] = set()
"""The folders that this process captured into: what is written there is no output, of no capture."""


class Capture:
    """The writes of a session while it is captured; ``runs`` are those so far, with the reason if one was refused."""

    def __init__(self, spark: SparkSession, into: str, mode: str, program: str) -> None:
        self.runs: list[Run] = []
        self.frames: dict[str, DataFrame] = {}
        self._jvm = Jvm(spark)
        self._store = Store(self._jvm, into)
        _KEPT_IN.add(self._store.folder)
        self._mode = mode
        self._program = program
        self._since = int(time.time()) * 1000
        self._files: set[str] = set()
        self._commands = Commands(spark)
        self._carrier = None if mode == "demand" else Carrier(self._store, _is_own, members=mode == "ends")
        self._lock = threading.RLock()

    @contextmanager
    def running(self) -> Iterator[Capture]:
        """Capture in here."""
        with ExitStack() as stack:
            stack.enter_context(self._commands.listening())
            if self._carrier is not None:
                stack.enter_context(self._carrier.extending())
            stack.callback(self.settle)
            stack.enter_context(after_writes(self.settle))
            yield self

    def written(self, output: str) -> Written:
        """An output of this session, by path or table, to be asked about."""
        self.settle()
        return Written(self._store, output, self.frames, None)

    def settle(self) -> None:
        """Take what was written since the last time; a failure is one of this run's records, never of the job."""
        with self._lock:
            try:
                executions = self._commands.taken()
            except Exception as problem:  # noqa: BLE001 - the job goes on
                warnings.warn(f"not all writes were seen: {problem}", RecordsWarning, stacklevel=3)
                return
            for execution in executions:
                self._take(execution)

    def _take(self, execution: Any) -> None:
        command = execution.analyzed()
        run = Run(
            uuid.uuid4().hex, self._mode, _now(), Output("", "", "", {}, {}, {}), [], program=self._program
        )
        hint = ""
        try:
            if kind(command) in OTHER_WRITES:
                run.output.table = target_of(command)
                change = change_of(self._jvm, execution)
                if change is None:
                    return
                run = self._changed(run, change)
            elif kind(command) != COMMAND or _is_own(command.outputPath().toString()):
                return
            else:
                run = self._captured(run, command, execution)
        except Exception as problem:  # noqa: BLE001 - the job goes on, and the run says why
            run, hint = _refused(run, problem), getattr(problem, "hint", "")
        self._end(run, hint)
        try:
            report(self._jvm, execution, run, self._store.folder)
        except Exception as problem:  # noqa: BLE001 - the job goes on
            warnings.warn(
                f"the agent does not know of these records: {problem}", RecordsWarning, stacklevel=4
            )

    def _captured(self, run: Run, command: Any, execution: Any) -> Run:
        run.output.root = command.outputPath().toString()
        write = write_of(self._jvm, command)
        with self._carried(run, command) as carried:
            run.output = output_of(self._jvm, write, self._files, self._since, self._store.files_in)
            self._files.update(run.output.files)
            if carried is not None:
                carried.collect(self._store, run)
                run.again = carried.reason
        run.inputs = as_read(self._jvm, inputs_of(self._jvm, write.query), execution)
        written = carried.rebuilt if carried else None
        run.carried = written is not None
        rows = rows_of(execution) if run.carried else None
        if rows is not None:
            run.rows[RECORDS] = rows
        return self._kept(run, self._jvm.frame(write.query), written)

    def _changed(self, run: Run, change: Change) -> Run:
        run.output.root = change.root
        frame = self._jvm.frame(change.query)
        run.output = output_at(self._jvm, change)
        run.inputs = read_by(inputs_of(self._jvm, analysed(frame)), change)
        return self._kept(run, frame, None)

    def _kept(self, run: Run, frame: DataFrame, written: Rebuilt | None) -> Run:
        """The run with what is kept of it; ``written`` is what the write ran, if it carried ids."""
        with unchanged(self._jvm, run.inputs):
            rebuilt = written or Rebuilt(frame, versions=at_versions(run.inputs))
            run.plan = fingerprint(rebuilt.normal)
            self.frames[run.run] = frame
            return MODES[self._mode](self._store, run, rebuilt)

    @contextmanager
    def _carried(self, run: Run, command: Any) -> Iterator[Carried | None]:
        """What became of the write, None in the mode that lets it be; none of its ids stays beside the output."""
        carried = self._carrier.taken(command) if self._carrier else None
        before = replace(carried) if carried else None
        try:
            yield carried
        finally:
            if before:
                before.discard(self._store, None if carried and carried.rebuilt else run.output.root)

    def _end(self, run: Run, hint: str) -> None:
        if run.refused:
            place = run.output.root or run.output.table
            instead = f"; {hint}" if hint else ""
            warnings.warn(
                f"no records of what was written to {place}: {run.refused}{instead}", RecordsWarning, 3
            )
        try:
            if run.refused:
                self._store.remove(run.run)
            self._store.keep(run)
        except Exception as problem:  # noqa: BLE001 - the job goes on
            run.code = run.code or "not_kept"
            run.refused = run.refused or f"{self._store.folder} could not be written: {problem}"
            warnings.warn(run.refused, RecordsWarning, 3)
        self.runs.append(run)


def _is_own(path: str) -> bool:
    return any(path.startswith(folder + "/") for folder in _KEPT_IN)


def _refused(run: Run, problem: Exception) -> Run:
    """The run with the reason; what Spark says of other errors may have values in it, and is left out."""
    if OTHER_INPUT in str(problem):
        problem = UnrepeatableError(OTHER_INPUT)
    known = isinstance(problem, RecordsError)
    run.refused = f"{type(problem).__name__}: {problem}" if known else type(problem).__name__
    run.code = problem.code if isinstance(problem, RecordsError) else "failed"
    run.operator = problem.operator if isinstance(problem, UntraceableError) else ""
    return run


def _now() -> str:
    return datetime.now(timezone.utc).isoformat()


@contextmanager
def capture(spark: SparkSession, *, into: str, mode: str = "demand", program: str = "") -> Iterator[Capture]:
    """Keep in the folder ``into`` what is needed to ask later about what is written in this block.

    ``mode`` is ``demand`` (what the inputs were), ``ends`` (which records of the sources made each record) or ``full``
    (the records of every operator as well). ``program`` names the function that makes the frame that is written
    (``package.module:function``, called with the session): questions of mode ``demand`` in another session call it.
    Writes go on as they would; of what cannot be asked about, the run says why and a RecordsWarning is given.
    """
    if mode not in MODES:
        raise ValueError(f"no mode {mode!r}; there are {', '.join(MODES)}")
    with Capture(spark, into, mode, program).running() as running:
        yield running
