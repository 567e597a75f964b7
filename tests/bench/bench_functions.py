"""What reading the code of a Python function costs: each function of the corpora, from its pickle to what it does.

    python tests/bench/bench_functions.py

In milliseconds of processor time, the best of some rounds, because others use the machine as well.
"""

from __future__ import annotations

import importlib
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import contextlib

from functions import oracle
from headwater_functions.pickles.cloudpickled import read_function
from headwater_functions.result import analyse
from headwater_functions.unreadable import UnreadableError

FOLDER = Path(oracle.__file__).parent
CORPORA = ("before", "apart", "hostile", "selected", "objects", "frames")
ROUNDS = 4
SLOWEST = 5


def functions() -> Iterator[tuple[str, Callable[..., Any], int]]:
    """The functions of the corpora, each with its name and the number of its arguments."""
    for corpus in (f"corpus_{each}" for each in CORPORA):
        for file in sorted((FOLDER / corpus).glob("[a-z]*.py")):
            for each in importlib.import_module(f"functions.{corpus}.{file.stem}").EXAMPLES:
                name = getattr(each.function, "__name__", type(each.function).__name__)
                yield f"{corpus}.{name}", each.function, len(each.arguments)


def took(pickled: bytes, count: int) -> float:
    """The milliseconds of one reading, until its result or its reason."""
    began = time.process_time()
    with contextlib.suppress(UnreadableError):
        analyse(read_function(pickled, oracle.VERSION), count)
    return 1_000 * (time.process_time() - began)


def main() -> None:
    """Print the median, the 95th percentile, and the slowest functions."""
    warnings.simplefilter("ignore")
    times = {}
    for name, function, count in functions():
        pickled = oracle.pickled(function)
        times[name] = min(took(pickled, count) for _ in range(ROUNDS))
    figures = sorted(times.values())
    print(f"{len(figures)} functions: {statistics.median(figures):.1f} ms in the median")
    print(f"95th percentile {figures[int(0.95 * len(figures))]:.1f} ms")
    for name, figure in sorted(times.items(), key=lambda each: -each[1])[:SLOWEST]:
        print(f"  {figure:.1f} ms  {name}")


if __name__ == "__main__":
    main()
