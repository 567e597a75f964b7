"""What tracking of data frames costs: time against plain pandas, memory beside the frames, and how long answers take.

    python tests/bench/bench_frames.py

runs three pipelines over real data (German, Compas, Census) plainly and tracked in turns, and joins on a foreign key
of 362,342 to 2,411,006 records. Memory is what Python and NumPy have allocated more for the tracked program while its
source and its result are there. It needs the data beside the project (``../shared``).
"""

from __future__ import annotations

import gc
import math
import statistics
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

import headwater_pandas as hp
from headwater_pandas import held
from headwater_records.graph import ancestors
from kit import frame_pipelines

RUNS = 9
PIPELINES = {
    "german": (frame_pipelines.german, 0.01),
    "compas": (frame_pipelines.compas, 0.03),
    "census": (frame_pipelines.census, 0.01),
}
JOINS = [
    (362_342, 390_978),
    (602_956, 650_412),
    (1_085_239, 1_171_107),
    (1_807_703, 1_951_236),
    (2_411_006, 2_601_648),
]
MOST_CAPTURE, MOST_MERGE, MOST_QUESTION = 1.5, 2.0, 1.0


def seconds(program: Callable[[], Any]) -> float:
    gc.collect()
    start = time.perf_counter()
    program()
    return time.perf_counter() - start


def in_a_row(program: Callable[[], Any]) -> float:
    """The median of calls one after the other, in seconds."""
    times = []
    for _ in range(50):
        start = time.perf_counter()
        program()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def ratio(plain: Callable[[], Any], tracked: Callable[[], Any], runs: int = RUNS) -> tuple[float, float]:
    """The median of the plain program, and the median of the ratios of pairs."""
    pairs = [(seconds(plain), seconds(tracked)) for _ in range(runs)]
    return statistics.median(one for one, _ in pairs), statistics.median(other / one for one, other in pairs)


def allocated(program: Callable[[Any], Any], source: Any) -> tuple[int, Any]:
    gc.collect()
    tracemalloc.start()
    result = program(source)
    gc.collect()
    size = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return size, result


def graph_bytes(frame: Any) -> int:
    """Bytes of the arrays of all associations behind a frame."""
    known = held.held(frame)
    assert known is not None
    return sum(step.rows.nbytes for each in ancestors([known.dataset]) for step in each.inputs)


def pipeline(name: str) -> float:
    program, most = PIPELINES[name]
    raw = pd.read_csv(frame_pipelines.path_of(name))
    base, captured = ratio(lambda: program(raw.copy()), lambda: program(hp.track(raw.copy(), name)))
    hp.stop()
    plain, _ = allocated(program, raw.copy())
    source = hp.track(raw.copy(), name)
    more, result = allocated(program, source)
    megabytes = max(more - plain, 0) / 1e6
    print(
        f"{name}: {raw.shape} -> {result.shape}, plain {base * 1000:.0f} ms, tracked × {captured:.2f}"
        f" (aim {MOST_CAPTURE}),"
        f" memory {megabytes:.3f} MB (aim {most}), of it arrays {graph_bytes(result) / 1e6:.4f} MB"
    )
    questions(name, source, result)
    hp.stop()
    return captured


def questions(name: str, source: Any, result: Any) -> None:
    chance = np.random.default_rng(1)
    column = [result.columns[-1]]
    first = ["age" if "age" in source.columns else source.columns[0]]
    for count in (100, min(10_000, len(result))):
        ids = chance.choice(len(result), min(count, len(result)), replace=False)
        asked: dict[str, Callable[[], Any]] = {
            "why": partial(hp.why, result, ids),
            "why of values": partial(hp.why, result, ids, column),
            "forward": partial(hp.forward, source, ids, to=result),
            "forward of values": partial(hp.forward, source, ids, first, to=result),
            "how": partial(hp.how, result, ids, column),
            "how forward": partial(hp.how, source, ids, to=result),
            "transformations": partial(hp.transformations, result),
            "co_contributory": partial(hp.co_contributory, source, ids, source, to=result),
            "co_dependent": partial(hp.co_dependent, source, ids, result),
            "influence": partial(hp.influence, result, ids),
        }
        times = {
            each: (
                statistics.median(seconds(question) for _ in range(RUNS)) * 1000,
                in_a_row(question) * 1000,
            )
            for each, question in asked.items()
        }
        found = (f"{each} {alone:.2f} ms ({again:.2f})" for each, (alone, again) in times.items())
        print(f"  {count} ids, after a collection (and one after the other): {', '.join(found)}")


def join(lefts: int, rights: int) -> None:
    chance = np.random.default_rng(2)
    left = pd.DataFrame({"fk": chance.integers(0, rights, lefts), "x": chance.random(lefts)})
    right = pd.DataFrame({"pk": chance.permutation(rights), "y": chance.random(rights)})

    def tracked() -> Any:
        one, other = hp.track(left.copy(deep=False), "left"), hp.track(right.copy(deep=False), "right")
        return one.merge(other, left_on="fk", right_on="pk")

    runs = RUNS if lefts < 1_000_000 else 3
    base, captured = ratio(lambda: left.merge(right, left_on="fk", right_on="pk"), tracked, runs)
    result = tracked()
    size = graph_bytes(result)
    ids = np.sort(chance.choice(len(result), 100, replace=False))
    asked = statistics.median(seconds(lambda: hp.why(result, ids)) for _ in range(RUNS)) * 1000
    print(
        f"join {lefts:,} × {rights:,}: plain {base * 1000:.0f} ms, tracked × {captured:.2f} (aim {MOST_MERGE}),"
        f" {size / 1e6:.2f} MB, {size / len(result):.2f} bytes a row (aim 8),"
        f" why of 100 ids {asked:.2f} ms (aim {MOST_QUESTION})"
    )
    hp.stop()


def main() -> None:
    ratios = [pipeline(name) for name in PIPELINES]
    print(f"capture, geometric mean: × {math.prod(ratios) ** (1 / len(ratios)):.2f} (aim 1.2)")
    join(100_000, 100_000)
    for lefts, rights in JOINS:
        join(lefts, rights)


if __name__ == "__main__":
    main()
