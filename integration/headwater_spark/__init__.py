"""The Spark agent's brain: decodes plans, traces path lineage, emits OpenLineage events.

For Python users: ``headwater_spark.configure(SparkSession.builder)`` before a session exists,
``headwater_spark.attach(spark)`` on a running one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from headwater_spark.session import attach, configure

__all__ = ["attach", "configure"]


def __getattr__(name: str) -> Any:
    """The brain starts for every application: it does not pay for what only the user's driver needs."""
    if name in __all__:
        from headwater_spark import session  # noqa: PLC0415

        return getattr(session, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
