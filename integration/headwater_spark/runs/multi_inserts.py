"""Documents of executions that write several datasets, as one document for each write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from headwater_spark.decode import several_writes
from headwater_spark.guard import Failure, guarded

_MOST: Final = 1 << 20
"""More than the writes of one execution."""


class MultiInserts:
    """Splits the documents of an execution into those of its writes; all others pass as they are.

    The first write has the execution's number, and the others have numbers of their own. What Spark counted is not
    known of a single write, nor to which of them the executions belong that it runs for them.
    """

    def __init__(self) -> None:
        self._writes: dict[int, int] = {}
        """How many writes an execution has that is running, if there are several."""

    def started(self, document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """The ``execution-start`` documents of the writes."""
        roots = _roots(document)
        if roots:
            self._writes[int(document["execution"])] = len(roots)
        yield from _parts(document, roots, len(roots) or 1)

    def ended(self, document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """The ``execution-end`` documents of the writes, which may have the first plan of the execution."""
        roots = _roots(document)
        known = self._writes.pop(int(document["execution"]), 1)
        if document.get("root") in self._writes:
            document = {**document, "metrics": {}}
        yield from _parts(document, roots, len(roots) or known)


def _roots(document: Mapping[str, Any]) -> tuple[int, ...]:
    plan = document.get("plan")
    if not isinstance(plan, Mapping):
        return ()
    found = guarded(lambda: several_writes(plan))
    return () if isinstance(found, Failure) else found


def _parts(document: Mapping[str, Any], roots: tuple[int, ...], count: int) -> Iterator[Mapping[str, Any]]:
    if count == 1 and not roots:
        yield document
        return
    execution = int(document["execution"])
    for number in range(count):
        own = -(execution * _MOST + number) if number else execution
        root = own if document.get("root") == execution else document.get("root")
        plan = {"plan": {**document["plan"], "root": roots[number]}} if roots else {}
        yield {**document, "execution": own, "root": root, "metrics": {}, **plan}
