"""Damages pickles of functions in every way that bytes allow, and has them read: ``python -m functions.damage``.

Reading one may end with an analysis or an ``UnreadableError``. It must not end with another exception, take long, grow
the process, or do anything that Python's audit hooks see: opening, importing, compiling, starting, connecting.

    PYTHONPATH=tests python -m functions.damage --count 1000000 --seed 1
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

_HARMLESS = frozenset({"builtins.id", "object.__getattr__", "sys._getframe", "sys.addaudithook"})
"""The last is the reader's own refusal."""


class _Watch:
    """Notes what Python does while something is read."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.reading = False

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.reading and event not in _HARMLESS:
            self.seen.append(f"{event} {arguments!r}"[:200])


WATCH = _Watch()
# Before anything of the reader: a hook that refuses would hide what happened from later ones.
sys.addaudithook(WATCH)

from functions import damaged  # noqa: E402 - see above
from headwater_functions.flows import reading_of  # noqa: E402
from headwater_functions.pickles.cloudpickled import read_function  # noqa: E402
from headwater_functions.resolve import Form  # noqa: E402
from headwater_functions.result import analyse  # noqa: E402
from headwater_functions.unreadable import UnreadableError  # noqa: E402
from headwater_plan.types import ArrayType, AtomicType, StructField, StructType  # noqa: E402

MOST_SECONDS = 10
"""Of this process's own time: what takes longer hangs. Reading a function takes milliseconds."""
MOST_GROWTH = 256 << 10
"""KiB that the process may grow after its first readings, at the most."""
WARM_UP = 200

_TEXT = AtomicType("string")
_RECORD = StructType(tuple(StructField(n, _TEXT) for n in ("city", "zip", "name", "amount")))
_TYPES = (_RECORD, ArrayType(_RECORD), _TEXT)


class Hanging(BaseException):
    """Reading took too long."""


def _hang(*_: Any) -> None:
    raise Hanging


def read(pickle: bytes, version: str) -> str:
    """How reading ends: ``read``, or the code of the error. Any other exception is passed on."""
    try:
        function = read_function(pickle, version)
        count = min(3, function.code.argument_count)
        analysis = analyse(function, count)
        form = (Form.VALUES, Form.FRAMES, Form.BATCHES)[len(pickle) % 3]
        reading_of(analysis, _TYPES[:count], _RECORD, form)
    except UnreadableError as e:
        return e.code
    return "read"


def _guarded(pickle: bytes, version: str) -> tuple[str, str]:
    """How reading ends, and what is wrong about that."""
    signal.setitimer(signal.ITIMER_VIRTUAL, MOST_SECONDS)
    WATCH.reading = True
    try:
        ended, wrong = read(pickle, version), ""
    except Hanging:
        ended, wrong = "hanging", f"it takes more than {MOST_SECONDS} seconds"
    except Exception as e:  # noqa: BLE001 - whatever it is, it is what is looked for
        ended, wrong = "raised", f"{type(e).__name__}: {str(e)[:200]}"
    finally:
        WATCH.reading = False
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    if WATCH.seen:
        wrong = f"{wrong} it does {WATCH.seen[:3]}"
        WATCH.seen.clear()
    return ended, wrong


def run(
    seed: int,
    count: int,
    only: Sequence[str] = (),
    keep: Path | None = None,
    show: Callable[[str], None] = print,
) -> int:
    """Read so many damaged pickles; what is wrong is printed, and kept in a folder. The number of those is returned."""
    signal.signal(signal.SIGVTALRM, _hang)
    ends: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    wrong = slowest = grown = 0
    slow = ""
    peak = _peak()
    for number, (kind, version, pickle) in enumerate(damaged.pickles(random.Random(seed), count, only)):
        began = time.process_time_ns()
        ended, found = _guarded(pickle, version)
        took = time.process_time_ns() - began
        ends[ended] += 1
        kinds[kind] += 1
        if took > slowest:
            slowest, slow = took, f"{kind} {number}"
        now = _peak()
        if number < WARM_UP:
            peak = now
        elif now - peak > MOST_GROWTH:
            found = f"{found} the process grew by {(now - peak) >> 10} MiB"
            peak = now
        grown = max(grown, now - peak)
        if found:
            wrong += 1
            show(f"WRONG {kind} {number} of seed {seed}: {found}")
            if keep is not None:
                (keep / f"{seed}-{number}-{kind}.{version}.pickle").write_bytes(pickle)
    show(json.dumps({"kinds": dict(kinds), "ends": dict(ends)}))
    show(f"slowest: {slowest / 1e6:.0f} ms ({slow}); grown by {grown >> 10} MiB at most")
    show(f"{count} damaged pickles of seed {seed}: {wrong} wrong")
    return wrong


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main(arguments: list[str]) -> int:
    """The command; 1 if anything was wrong."""
    parser = argparse.ArgumentParser(prog="functions.damage", description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", nargs="*", default=(), help="kinds of damage; all by default")
    parser.add_argument("--keep", type=Path, help="the folder for pickles that were read wrongly")
    given = parser.parse_args(arguments)
    return min(1, run(given.seed, given.count, given.kinds, given.keep))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
