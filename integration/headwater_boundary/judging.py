"""What personal data planned writes would hold, in which form: the agent's own events, in a store of their own.

Each plan becomes the documents that the agent's listener sends, these become events, and the events' answer is the one
that ``headwater exposure`` gives. So a plan is judged by the rules by which what has run is judged.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from openlineage.client.event_v2 import RunEvent
from openlineage.client.serde import Serde

from headwater_backend.domain.model import DatasetKey
from headwater_backend.ingest.service import ingest
from headwater_backend.privacy.classification.rules import Rules
from headwater_backend.privacy.exposure import Ruling, exposed
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.privacy.forms import Form
from headwater_backend.questions.traversal import Bounds
from headwater_backend.stores import open_store
from headwater_boundary.planned import BEGAN, PlannedRuns
from headwater_records_spark.jvm import Jvm
from headwater_spark.decode import source_of_leaf
from headwater_spark.naming.datasets import Catalogs, resolve_datasets

MOST_BYTES = 64 << 20
WAREHOUSE = "spark.sql.warehouse.dir"


@dataclass(frozen=True, slots=True)
class Held:
    """Personal data in a planned output: of which source's path, in which categories, in which form."""

    path: tuple[str, ...]
    form: Form
    categories: tuple[str, ...]
    source: str
    source_path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """The answer: what each output holds, by the dataset's name, and what is not known."""

    held: Mapping[str, tuple[Held, ...]]
    gaps: Mapping[str, tuple[str, ...]]
    of_any: tuple[str, ...]
    personal: Mapping[str, tuple[tuple[str, ...], ...]]
    """The personal paths by dataset, of those that the rules name."""


def events_of(jvm: Jvm, commands: Sequence[Any], name: str = "planned") -> list[RunEvent]:
    """The events that the agent would emit if these commands ran."""
    runs = PlannedRuns(
        {
            "kind": "application",
            "time": BEGAN,
            "conf": {"spark.openlineage.namespace": "planned", WAREHOUSE: jvm.spark.conf.get(WAREHOUSE)},
            "application": {"name": name},
            "versions": {"spark": jvm.spark.version},
        }
    )
    return [event for command in commands for event in runs.events_of(plan_document(jvm, command))]


def plan_document(jvm: Jvm, plan: Any) -> dict[str, Any]:
    """The plan as the agent's listener sends it."""
    return dict(json.loads(jvm.view.io.headwater.spark.PlanDocuments.encode(plan, MOST_BYTES)))


def dataset_names(jvm: Jvm, leaf: Any) -> list[str]:
    """The names of the datasets that a leaf of a plan reads."""
    catalogs = Catalogs({WAREHOUSE: jvm.spark.conf.get(WAREHOUSE)})
    return [each.id.name for each in resolve_datasets(source_of_leaf(plan_document(jvm, leaf)), catalogs)]


def judge(events: Sequence[RunEvent], rules: Rules) -> Judged:
    """What the outputs of these events hold."""
    with (
        tempfile.TemporaryDirectory(prefix="headwater-planned-") as folder,
        closing(open_store(f"sqlite:///{Path(folder) / 'planned.db'}")) as store,
    ):
        outcomes = ingest(store, [Serde.to_json(each).encode() for each in events])
        refused = [each.error for each in outcomes if each.error]
        if refused:
            raise ValueError(f"a planned event was refused: {refused[0]}")
        report = exposed(
            store, Scope(influenced=False, bounds=Bounds(depth=1_000)), Ruling(own=rules, lenient=True)
        )
        return _judged(report)


def _judged(report: Any) -> Judged:
    held: dict[str, list[Held]] = {}
    personal: dict[str, list[tuple[str, ...]]] = {}
    for attribute in report.attributes:
        origin = attribute.attribute.node
        personal.setdefault(origin.dataset.name, []).append(tuple(origin.path))
        for output in attribute.outputs:
            held.setdefault(output.node.dataset.name, []).append(
                Held(
                    tuple(output.node.path),
                    output.form,
                    tuple(attribute.attribute.categories),
                    origin.dataset.name,
                    tuple(origin.path),
                )
            )
    gaps: dict[str, list[str]] = {}
    for gap in report.incomplete:
        name = gap.dataset.name if isinstance(gap.dataset, DatasetKey) else ""
        gaps.setdefault(name, []).append(f"{gap.reason}: {gap.detail}" if gap.detail else str(gap.reason))
    return Judged(
        {name: tuple(each) for name, each in held.items()},
        {name: tuple(dict.fromkeys(each)) for name, each in gaps.items()},
        tuple(dict.fromkeys(str(each.reason) for each in report.of_any)),
        {name: tuple(each) for name, each in personal.items()},
    )
