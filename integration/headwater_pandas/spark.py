"""Frames that come out of Spark: their lineage is traced from Spark's plan, so that columns go on to its datasets."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from headwater_pandas import observe

if TYPE_CHECKING:
    from headwater_pandas.lineage.origins import Origin, Parent

COLLECTS: Final = "toPandas"
_OWNERS: Final = {
    "pyspark.sql.pandas.conversion": "PandasConversionMixin",
    "pyspark.sql.classic.dataframe": "DataFrame",
    "pyspark.sql.connect.dataframe": "DataFrame",
}
"""The classes that may have the method, by their modules: which do depends on the version."""


def owners() -> Iterator[tuple[Any, Callable[..., Any]]]:
    """The classes of PySpark that give frames of pandas, with the method; none if PySpark was not imported."""
    if "pyspark.sql" not in sys.modules:
        return
    with suppress(ImportError):  # loaded with the first session, which may be made later
        importlib.import_module("pyspark.sql.classic.dataframe")
    for module, name in _OWNERS.items():
        owner = getattr(sys.modules.get(module), name, None)
        function = vars(owner).get(COLLECTS) if owner is not None else None
        if function is not None:
            yield owner, function


def origin_of(frame: Any) -> Origin | None:
    """What Spark knows of its frame; None where that cannot be had, as of a client of Spark Connect."""
    from headwater_pandas.lineage.origins import Origin  # noqa: PLC0415 - loads OpenLineage's client
    from headwater_spark.activation.frame_lineage import frame_lineage  # noqa: PLC0415 - loads the agent

    try:
        found = frame_lineage(frame)
    except Exception:
        if observe.STRICT:
            raise
        return None  # where the frame is from is not known then, and the program is not concerned
    return Origin(found.paths, tuple(found.inputs), _parent(found.application))


def application() -> Parent | None:
    """The run of this program's Spark application, if it has one that an agent reports."""
    context = getattr(
        getattr(sys.modules.get("pyspark"), "SparkContext", None), "_active_spark_context", None
    )
    if context is None:
        return None
    from pyspark.sql import SparkSession  # noqa: PLC0415 - only where it is loaded

    from headwater_spark.activation.frame_lineage import application_of  # noqa: PLC0415 - loads the agent

    try:
        session = SparkSession.getActiveSession()
        return _parent(application_of(session)) if session is not None else None
    except Exception:  # noqa: BLE001 - the program is not concerned
        return None


def _parent(job: Any) -> Parent | None:
    from headwater_pandas.lineage.origins import Parent  # noqa: PLC0415 - loads OpenLineage's client

    return Parent(job.namespace, job.name, job.run_id) if job is not None else None
