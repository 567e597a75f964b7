"""``python -m headwater_cli.boundary.gate``: verdicts on the writes of one application, before they begin.

The agent in Spark's driver starts this process where ``spark.headwater.gate`` is set. The first frame on standard input
introduces the application with its settings, and each other one has a command's plan. Each is answered by a byte, a
length of 4 bytes and a text in UTF-8 on standard output:

======= ======================================================================
``N``   the command writes nothing
``A``   the write is allowed
``W``   it violates policies that are no errors, or has a gap in one of these
``V``   it violates a policy; the text is the witness
``U``   it is not known whether it does
``F``   it could not be judged
======= ======================================================================

A write is judged as ``headwater plan`` judges it, with the earlier writes of the application: what they brought
somewhere may be read by this one. A write that was refused has not been.
"""

from __future__ import annotations

import json
import os
import shutil
import struct
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple

from openlineage.client.serde import Serde

from headwater_boundary.planned import PlannedRuns
from headwater_cli.boundary import answers
from headwater_spark.capture.frames import BrokenStreamError, Readable, frames
from headwater_spark.capture.program_reads import ProgramReads
from headwater_spark.naming.datasets import UNNAMED

if TYPE_CHECKING:
    from headwater_backend.privacy.policies import Policy

_NO_WRITE, _ALLOWED, _WARNED, _VIOLATED, _UNKNOWN, _FAILED = "NAWVUF"
_MODE: Final = "spark.headwater.gate"
_ON_ERROR: Final = "spark.headwater.gate.onError"
_POLICIES: Final = "spark.headwater.gate.policies"
_RULES: Final = "spark.headwater.gate.rules"
_EXECUTES_NOTHING: Final = "ExplainCommand"
"""A command within which others are planned and not executed."""
Dataset = tuple[str, str]


class Verdict(NamedTuple):
    """The byte of an answer, and its text."""

    code: str
    text: str = ""


class Flow(NamedTuple):
    """What a command reads and writes."""

    inputs: frozenset[Dataset]
    outputs: frozenset[Dataset]


class Judge:
    """The verdicts on the writes of the application that a document introduces. ``folder`` holds earlier writes."""

    def __init__(self, folder: Path, document: Mapping[str, Any]) -> None:
        self._conf: Mapping[str, str] = document["conf"]
        self._runs = PlannedRuns(document, ProgramReads(self._conf))
        self._known, self._tried = folder / "known.db", folder / "tried.db"
        self._seen: set[str] = set()
        self._upstream: dict[Dataset, frozenset[Dataset]] = {}
        self._lost = ""
        refused = {_VIOLATED: self._conf.get(_MODE), _UNKNOWN: self._conf.get(_ON_ERROR)}
        self._refuses = {code for code, value in refused.items() if (value or "").strip().lower() == "block"}

    @cached_property
    def _policies(self) -> tuple[Policy, ...]:
        """Raises an error that names place and remedy."""
        return answers.read(_named(self._conf[_POLICIES]))

    @cached_property
    def _rules(self) -> dict[str, Any]:
        """Raises an error that names place and remedy."""
        from headwater_cli.privacy.holdings import rule_variables

        rules = self._conf.get(_RULES)
        return rule_variables(_named(rules) if rules else None)

    def prepare(self) -> None:
        """Load what verdicts need. What fails here does so again when there is something to judge."""
        with suppress(Exception):
            answers.check(answers.stored(self._tried, ()), self._rules, self._policies)

    def judge(self, document: Mapping[str, Any]) -> Verdict:
        """The verdict on a command. Raises whatever fails."""
        if document["within"] == _EXECUTES_NOTHING:
            return Verdict(_NO_WRITE)
        if document["values"]:
            self._runs.note_values()
        try:
            return self._judged(document["plan"], document["stream"])
        except Exception as error:
            self._lost = f"an earlier write of the application could not be judged ({_described(error)})"
            raise

    def _judged(self, plan: Mapping[str, Any], stream: str) -> Verdict:
        if plan.get("error"):
            raise ValueError("its plan could not be encoded")
        now = time.time_ns() // 1_000_000
        events = [json.loads(Serde.to_json(each)) for each in self._runs.events_of(plan, now, stream)]
        flow = _flow(events)
        if not flow.outputs:
            return Verdict(_NO_WRITE)
        rules, policies = self._rules, self._policies
        self._tried.unlink(missing_ok=True)  # it has what was refused
        if self._known.exists():
            shutil.copy(self._known, self._tried)
        client = answers.stored(self._tried, map(json.dumps, events))
        above = self._above(flow)
        verdict, seen = self._verdict(answers.check(client, rules, policies), flow.outputs, above)
        if verdict.code not in self._refuses:
            self._seen |= seen
            self._tried.replace(self._known)
            self._upstream.update(dict.fromkeys(flow.outputs, above))
        return verdict

    def _above(self, flow: Flow) -> frozenset[Dataset]:
        """The datasets from which data may come, with those of earlier writes."""
        earlier = (self._upstream.get(each, frozenset()) for each in flow.inputs | flow.outputs)
        return flow.inputs.union(*earlier)

    def _verdict(
        self, found: Mapping[str, Any], outputs: frozenset[Dataset], above: frozenset[Dataset]
    ) -> tuple[Verdict, set[str]]:
        from headwater_cli.privacy.policies.check_formats import violation_text

        decisive: list[str] = []
        unknown: list[str] = [self._lost] if self._lost else []
        notes: list[str] = []
        seen: set[str] = set()
        for policy, verdict in zip(self._policies, found["verdicts"], strict=True):
            decides = verdict["severity"] == "ERROR"
            for each in verdict["violations"]:
                text = f"{verdict['policy']}: {violation_text(each)}"
                if _place(each["node"]) in outputs or text not in self._seen:
                    (decisive if decides else notes).append(text)
                seen.add(text)
            gaps = list(_gaps(verdict, policy, outputs, above))
            if verdict["violationCount"] > len(verdict["violations"]):
                gaps.append("not all violations are listed")
            (unknown if decides else notes).extend(f"{verdict['policy']}: {each}" for each in gaps)
        for code, texts in ((_VIOLATED, decisive), (_UNKNOWN, unknown), (_WARNED, notes)):
            if texts:
                return Verdict(code, "; ".join(dict.fromkeys(texts))), seen
        return Verdict(_ALLOWED), seen


def _gaps(
    verdict: Mapping[str, Any], policy: Policy, outputs: frozenset[Dataset], above: frozenset[Dataset]
) -> Iterator[str]:
    """What is not known of this write: where it goes, or gaps at and above that, if the policy covers it."""
    from headwater_backend.domain.model import DatasetKey
    from headwater_cli.questions.gaps import gap_line

    covered = {each for each in outputs if policy.covers(DatasetKey(*each))}
    yield from (
        f"it is not known where {name} writes" for space, name in outputs - covered if space == UNNAMED
    )
    if not covered:
        return
    concerned = {*outputs, *above, ("", "")}
    for gap in verdict["incomplete"]:
        if gap["reason"] not in answers.OF_OTHERS and _place(gap) in concerned:
            yield gap_line(gap)


def _flow(events: Sequence[Mapping[str, Any]]) -> Flow:
    def of(side: str) -> frozenset[Dataset]:
        return frozenset(_place(each) for event in events for each in event.get(side) or ())

    return Flow(of("inputs"), of("outputs"))


def _place(each: Mapping[str, Any]) -> Dataset:
    return each["namespace"] or "", each["name"] or ""


def _named(file: str) -> Path:
    path = Path(file.removeprefix("file://"))
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path} on the driver's machine")
    return path


def _described(error: Exception) -> str:
    if isinstance(error, ModuleNotFoundError):
        return f"{error}; the gate needs the backend: pip install 'headwater[backend]'"
    return " ".join(f"{str(error) or type(error).__name__}".split())


def serve(stream: Readable, out: BinaryIO) -> None:
    """Answer the frames until the stream ends."""
    judge: Judge | None = None
    with tempfile.TemporaryDirectory(prefix="headwater-gate-") as folder:
        for content in frames(stream):
            verdict = Verdict(_FAILED, "nothing has introduced the application")
            try:
                document = json.loads(content)
                if document["kind"] == "application":
                    judge, verdict = Judge(Path(folder), document), Verdict(_NO_WRITE)
                elif judge is not None:
                    verdict = judge.judge(document)
            except Exception as error:  # noqa: BLE001 - the driver decides what follows from a failure
                verdict = Verdict(_FAILED, _described(error))
            text = verdict.text.encode()
            out.write(verdict.code.encode() + struct.pack(">I", len(text)) + text)
            out.flush()
            if judge is not None and document["kind"] == "application":
                judge.prepare()


def main() -> None:
    """Answer on standard output, to which nothing else is written."""
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    with suppress(BrokenStreamError, BrokenPipeError):
        serve(sys.stdin.buffer, out)


if __name__ == "__main__":
    main()
