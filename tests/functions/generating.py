"""Makes functions that were written by chance, and judges them."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from random import Random
from types import ModuleType
from typing import Any, NamedTuple

from functions.examples import Example
from functions.oracle import Verdict, in_file, judge

Written = tuple[str, tuple[Any, ...]]
"""The source of a function, and the arguments that it is called with."""


class Generator(NamedTuple):
    """A module with ``helpers``, and what writes a function of a name into it."""

    module: str
    helpers: str
    write: Callable[[Random, str], Written]
    ends: Callable[[Callable[..., Any], tuple[Any, ...]], object] = lambda function, given: function(*given)
    """Calls it with its arguments, to see that it ends."""
    in_file: bool = False
    """Whether they are read as source, and not as they are pickled."""


def examples(generator: Generator, seed: int, count: int) -> Iterator[tuple[str, Example]]:
    """(source, example) of functions that end on their example arguments."""
    chance = Random(seed)
    module = ModuleType(generator.module)
    sys.modules[generator.module] = module
    exec(compile(generator.helpers, generator.module, "exec"), module.__dict__)
    found = 0
    while found < count:
        source, arguments = generator.write(chance, f"f{found}")
        try:
            exec(compile(source, generator.module, "exec"), module.__dict__)
            function: Callable[..., Any] = module.__dict__[f"f{found}"]
            generator.ends(function, arguments)
        except Exception:  # noqa: BLE001 - a step may not fit what was made before it
            continue
        yield source, Example(function, arguments)
        found += 1


def judged(generator: Generator, source: str, each: Example) -> Verdict:
    """What was found of a function of that source."""
    reads = in_file(f"{generator.helpers}\n\n{source}\n", generator.module) if generator.in_file else None
    return judge(each.function, each.arguments, reads)


def main(generator: Generator, arguments: Sequence[str]) -> int:
    """The command; 1 if a change was missed."""
    parser = argparse.ArgumentParser(
        description="Write functions by chance, and judge what is stated of them."
    )
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--opaque", action="store_true", help="print what is not read, too")
    given = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    missed = narrowed = exact = 0
    for source, each in examples(generator, given.seed, given.count):
        verdict = judged(generator, source, each)
        narrowed, exact = narrowed + verdict.narrowed, exact + verdict.exact
        if verdict.misses or verdict.weakened:
            missed += 1
            print(f"MISSED {verdict.misses} weakened {verdict.weakened}\n{source}", flush=True)
        elif given.opaque and verdict.opaque:
            print(f"opaque {verdict.opaque}")
    print(f"{given.count} functions of seed {given.seed}: {missed} missed, {narrowed} read, {exact} exact")
    return min(1, missed)
