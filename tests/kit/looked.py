"""A steward who looked at datasets, so that an answer is complete where nothing else is missing."""

from __future__ import annotations

from datetime import datetime

from headwater_backend.domain.model import DatasetKey, NodeKey
from headwater_backend.domain.roles import everything
from headwater_backend.names.stewardship import Steward
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.classification.decided import PathClass
from headwater_backend.privacy.classification.deciding import Wanted, decide
from kit.openlineage import NAMESPACE, at


def look_at(
    store: LineageStore, *names: str, namespace: str = NAMESPACE, now: datetime | None = None
) -> None:
    """Decide that nothing in these datasets is personal but what is classified, before all events or at ``now``."""
    nodes = (NodeKey(DatasetKey(namespace, name), ()) for name in names)
    wanted = Wanted(classes=tuple(PathClass(each, ()) for each in nodes))
    decide(store, wanted, Steward(everything("somebody"), "looked at", now=now or at(0)))
