"""The last exposure reports, kept for the further pages of lists.

Computing a report again for each page would be slow, and records stored meanwhile would move entries between pages. So
a cursor names its report, which is kept for a while; if it is not any more, it is computed again. A first page always
is.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections import OrderedDict
from dataclasses import replace

from headwater_backend.domain.moments import micros
from headwater_backend.ports import CataloguedGraph
from headwater_backend.privacy.exposure import ExposureReport, Ruling, exposed
from headwater_backend.privacy.exposure_search import Scope

KEPT = 2
KEPT_SECONDS = 600.0


class Snapshots:
    """A cache of the last reports, by question and moment, which several threads may use."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str], tuple[float, ExposureReport]] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, question: str, report: ExposureReport) -> str:
        """Keep the report, and return the name by which it is found again: its moment."""
        name = report.as_of.isoformat()
        with self._lock:
            self._forget_old()
            self._kept[question, name] = (time.monotonic(), report)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return name

    def find(self, name: str, question: str) -> ExposureReport | None:
        """The report that answered the question then, if it is still kept."""
        with self._lock:
            self._forget_old()
            kept = self._kept.get((question, name))
        return kept[1] if kept else None

    def report(
        self, store: CataloguedGraph, scope: Scope, ruling: Ruling, name: str | None = None
    ) -> tuple[ExposureReport, str]:
        """The kept report of that name, or else a new one, which is then kept; and its name."""
        question = question_digest(scope, ruling)
        kept = self.find(name, question) if name else None
        if name and kept:
            return kept, name
        made = exposed(store, scope, ruling)
        return made, self.keep(question, made)

    def _forget_old(self) -> None:
        oldest = time.monotonic() - KEPT_SECONDS
        for key in [key for key, (made_at, _) in self._kept.items() if made_at < oldest]:
            del self._kept[key]


def question_digest(scope: Scope, ruling: Ruling) -> str:
    """A short name of the question, which cursors hold."""
    rules = [(rule.dataset_text, rule.path_text, rule.category) for rule in ruling.paths]
    as_of = scope.bounds.as_of and micros(scope.bounds.as_of)
    timeless = replace(scope, bounds=replace(scope.bounds, as_of=None))
    question = repr((timeless, as_of, rules, ruling.functions))
    return hashlib.sha256(question.encode(errors="surrogatepass")).hexdigest()[:16]
