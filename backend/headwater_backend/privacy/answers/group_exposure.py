"""Which groups of an overview hold personal data: how many of their datasets do, and the strongest form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from headwater_backend.ports import CataloguedGraph
from headwater_backend.ports.overview import OpenGroup, Place, place_of
from headwater_backend.privacy.answers.matrix import by_dataset
from headwater_backend.privacy.exposure import ExposureReport, Ruling
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.privacy.forms import Form
from headwater_backend.privacy.snapshots import Snapshots


@dataclass(frozen=True, slots=True)
class ExposedGroup:
    """The place of a group, the number of its datasets with personal data, and the strongest form of these."""

    place: Place
    datasets: int
    form: Form


@dataclass(frozen=True, slots=True)
class ExposedGroups:
    """The groups that hold personal data, by their places, and the report with the gaps of the answer."""

    report: ExposureReport
    groups: tuple[ExposedGroup, ...]


def exposed_groups(
    store: CataloguedGraph,
    scope: Scope,
    ruling: Ruling,
    snapshots: Snapshots,
    opened: Sequence[OpenGroup] = (),
) -> ExposedGroups:
    """The groups of the overview with these open that hold personal data. Raises what ``exposed`` raises."""
    report, _ = snapshots.report(store, scope, ruling)
    attributes = [each.attribute for each in report.attributes]
    held = by_dataset(report.attributes[0].propagation, attributes) if attributes else {}
    found: dict[Place, ExposedGroup] = {}
    for key, (arrived, declared) in held.items():
        place, form = place_of(opened, key), Form.IDENTITY if declared else min(arrived)
        known = found.get(place, ExposedGroup(place, 0, form))
        found[place] = ExposedGroup(place, known.datasets + 1, min(known.form, form))
    return ExposedGroups(
        report, tuple(found[at] for at in sorted(found, key=lambda at: (at[0], at[1] or "")))
    )
