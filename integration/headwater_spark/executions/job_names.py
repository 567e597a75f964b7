"""Names of jobs, after the application's: what a command writes, or what an action reads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from headwater_spark.capture.application import Application, snake
from headwater_spark.naming.datasets import ResolvedDataset

_MOST_NAMES: Final = 3


def parts_of_write(command: str, targets: Sequence[ResolvedDataset], application: Application) -> list[str]:
    """``execute_insert_…_command`` and the target, as OpenLineage's own agent names jobs."""
    name = snake(command.removesuffix("Exec").removesuffix("$"))
    parts = [f"execute_{name}" if command.endswith("Command") else name]
    if application.enabled("spark.openlineage.jobName.appendDatasetName", default=True):
        parts += [each.short_name for each in targets[:1] if each.is_named]
    if application.enabled("spark.openlineage.jobName.replaceDotWithUnderscore", default=False):
        return ["_".join(parts)]
    return parts


def parts_of_access(action: str, reads: Iterable[Sequence[ResolvedDataset]], variant: int) -> list[str]:
    """The action, the short names of what it reads, and its number if it is not the first of that name."""
    names = sorted({dataset.short_name for datasets in reads for dataset in datasets})
    numbered = [] if variant == 1 else [str(variant)]
    return [action, "_and_".join(names[:_MOST_NAMES]), *numbered]
