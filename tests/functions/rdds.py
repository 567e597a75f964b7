"""RDDs of nothing, under chains of functions that are never run by Spark, and what is sent of such a chain."""

from __future__ import annotations

import platform
from types import SimpleNamespace
from typing import Any

from pyspark import RDD
from pyspark.cloudpickle import dumps
from pyspark.serializers import CPickleSerializer

PYTHON = ".".join(platform.python_version_tuple()[:2])


def rows() -> Any:
    """An RDD that functions can be chained to."""
    below = SimpleNamespace(id=lambda: 0, rdd=lambda: SimpleNamespace(isBarrier=lambda: False))
    return RDD(below, SimpleNamespace(serializer=CPickleSerializer()), CPickleSerializer())


def sent(chain: Any) -> bytes:
    """The command of the chain's functions, as PySpark sends it."""
    return bytes(dumps((chain.func, None, None, None)))
