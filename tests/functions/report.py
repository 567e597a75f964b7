"""Judges corpora: ``python -m functions.report corpus_frames.groups …`` with ``PYTHONPATH=tests``."""

from __future__ import annotations

import sys
import warnings
from importlib import import_module

from functions.oracle import judge


def main(modules: list[str]) -> int:
    """Print what is not exact of each function, and how many were read; 1 if a change was missed."""
    warnings.simplefilter("ignore")
    missed = exact = narrowed = total = 0
    for name in modules:
        for each in import_module(f"functions.{name}").EXAMPLES:
            verdict = judge(each.function, each.arguments)
            total += 1
            exact, narrowed = exact + verdict.exact, narrowed + verdict.narrowed
            if verdict.misses or verdict.weakened:
                missed += 1
                print(f"MISSED {verdict.name}: {verdict.misses} weakened: {verdict.weakened}")
            elif verdict.opaque:
                print(f"opaque {verdict.name}: {verdict.opaque}")
            elif not verdict.exact:
                print(f"wide   {verdict.name}")
    print(f"{total} functions: {missed} missed, {narrowed} read, {exact} exact")
    return min(missed, 1)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
