"""A plugin for pandas' own tests: every frame and series that a test makes is tracked, if ``TRACKED`` is set.

The outcome of each test is written to the file ``OUTCOMES``, a line each: its node and the outcome.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import headwater_pandas as hp
from headwater_pandas import interception, observe

_OUTCOMES: list[str] = []


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "call" or report.outcome != "passed":
        _OUTCOMES.append(f"{report.outcome} {report.nodeid}")


def pytest_sessionfinish() -> None:
    Path(os.environ["OUTCOMES"]).write_text("\n".join(_OUTCOMES), "utf-8")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Iterator[None]:
    if not os.environ.get("TRACKED"):
        return (yield)
    try:
        with hp.tracking():
            made = [(owner, "__init__", _tracked(owner)) for owner in (pd.DataFrame, pd.Series)]
            with interception.replaced(made):
                return (yield)
    finally:
        hp.stop()


def _tracked(owner: Any) -> Callable[..., None]:
    make = owner.__init__

    def tracked(thing: Any, *args: Any, **named: Any) -> None:
        make(thing, *args, **named)
        if type(thing) is owner and not observe.STATE.busy:
            observe.guarded(lambda: hp.track(thing, "made by a test"))

    return tracked
