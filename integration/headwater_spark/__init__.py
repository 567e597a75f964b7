"""The Python part of the Spark agent: decodes plans, traces path lineage, emits OpenLineage events.

For Python users: ``headwater_spark.configure(SparkSession.builder)`` before a session exists,
``headwater_spark.attach(spark)`` on a running one; ``headwater_spark.note_call_sites()`` adds the line of the program
that wrote to events; ``@headwater_spark.lineage(reads=[…])`` declares what a user function does, so that it is traced;
``headwater_spark.explain(frame)`` shows what a data frame is made of, without running it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from headwater_spark.activation.call_sites import note_call_sites
    from headwater_spark.activation.declared import lineage
    from headwater_spark.activation.session import attach, configure

__all__ = ["attach", "configure", "explain", "lineage", "note_call_sites"]

_MODULES = {
    "attach": "headwater_spark.activation.session",
    "configure": "headwater_spark.activation.session",
    "explain": "headwater_cli.boundary.explained",
    "lineage": "headwater_spark.activation.declared",
    "note_call_sites": "headwater_spark.activation.call_sites",
}


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> Any:
    """Import on first use: the agent's process, which starts for every application, does not need these modules."""
    if name in _MODULES:
        return getattr(import_module(_MODULES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
