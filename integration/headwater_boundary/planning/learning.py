"""Models while a program is planned: they are fitted to rows that are made up, and what they hold is written nowhere.

A plan of what a model predicts needs a model. One that was fitted to a few made-up rows of the same schema has the same
columns and functions; what it has learned of them means nothing, and the program says so.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterator
from datetime import date, datetime
from decimal import Decimal
from functools import partial
from importlib import import_module
from inspect import isclass
from types import ModuleType
from typing import Any

import pyspark
from pyspark.sql import DataFrame
from pyspark.sql import types as T

from headwater_boundary.planning.program import Stop, called_by_planning
from headwater_boundary.planning.replaced import Replaced
from headwater_boundary.planning.unknown import NotKnownError

ROWS = 64
"""So many that none of the random parts is empty that a cross validator makes of them."""
VECTOR = 2
"""The length of a vector of which nobody says how long it is."""
COMPUTED = {
    "pyspark.ml.stat": {
        "Correlation": ("corr",), "ChiSquareTest": ("test",), "KolmogorovSmirnovTest": ("test",),
        "ANOVATest": ("test",), "FValueTest": ("test",),
    },
    "pyspark.ml.clustering": {"PowerIterationClustering": ("assignClusters",)},
    "pyspark.ml.fpm": {"PrefixSpan": ("findFrequentSequentialPatterns",)},
    "pyspark.ml.evaluation": {"Evaluator": ("evaluate",), "JavaEvaluator": ("evaluate",)},
}  # fmt: skip
"""Methods that compute at once, by module and class."""


class Learning:
    """The methods that stand in the places of those of ``pyspark.ml`` and ``pyspark.mllib``."""

    def __init__(self, planner: Any, replaced: Replaced) -> None:
        self._planner = planner
        self._replaced = replaced
        self._put = replaced.put

    def replace(self) -> None:
        """Replace them in the modules that the program imports."""
        self._replaced.when_imported("pyspark.ml", self._in_ml)
        self._replaced.when_imported("pyspark.mllib.common", self._in_common)
        for found in pkgutil.iter_modules([f"{pyspark.__path__[0]}/mllib"]):
            self._replaced.when_imported(f"pyspark.mllib.{found.name}", self._in_mllib)

    def _in_ml(self, package: ModuleType) -> None:
        """The package imports all of its modules."""
        self._put(package.Estimator, "fit", self.fitted)
        for module, classes in COMPUTED.items():
            for name, methods in classes.items():
                owner = getattr(import_module(module), name, None)
                for method in methods if owner is not None else ():
                    self._put(owner, method, self._computed(f"{name}.{method}"))
        writer = import_module("pyspark.ml.util").MLWriter
        for owner in (writer, *(each for each in _below(writer) if "save" in vars(each))):
            self._put(owner, "save", partial(self._planner.not_planned, "save"))

    def _in_mllib(self, module: ModuleType) -> None:
        for each in tuple(vars(module).values()):
            if isclass(each) and each.__module__ == module.__name__ and "save" in vars(each):
                self._put(each, "save", partial(self._planner.not_planned, "save"))

    def _in_common(self, module: ModuleType) -> None:
        self._put(module, "_to_java_object_rdd", self._planner.read_at_once)

    def fitted(self, before: Callable[..., Any]) -> Callable[..., Any]:
        def fit(estimator: Any, dataset: DataFrame, params: Any = None) -> Any:
            given = (params,) if params is not None else ()
            if called_by_planning():
                return before(estimator, dataset, *given)
            here, name = self._planner.here, f"{type(estimator).__name__}.fit()"
            self._planner.program.stops.append(
                Stop(here, f"{name} reads data; what its model learns of them is not in the plan")
            )
            try:
                return before(estimator, made_up(dataset), *given)
            except Exception:  # noqa: BLE001 - whatever an estimator needs that made-up rows have not
                return self._planner.unknown(name)

        return fit

    def _computed(self, name: str) -> Callable[[Any], Any]:
        def replaced(before: Any) -> Any:
            function = before.__func__ if isinstance(before, staticmethod | classmethod) else before

            def compute(*args: Any, **kwargs: Any) -> Any:
                if called_by_planning():
                    return function(*args, **kwargs)
                raise NotKnownError(f"{name}()", str(self._planner.here))

            return staticmethod(compute) if isinstance(before, staticmethod) else compute

        return replaced


def _below(base: Any) -> Iterator[Any]:
    for below in base.__subclasses__():
        yield below
        yield from _below(below)


def made_up(frame: DataFrame) -> DataFrame:
    """A few rows of the frame's schema."""
    fields = frame.schema.fields
    rows = [tuple(_value(f.dataType, n, f.metadata) for f in fields) for n in range(ROWS)]
    return frame.sparkSession.createDataFrame(rows, frame.schema)


def _value(kind: T.DataType, number: int, metadata: dict[str, Any] | None = None) -> Any:
    """The value of one row: two different ones alternate, which are classes, texts and numbers."""
    at = number % 2
    if isinstance(kind, T.UserDefinedType):
        return _vector(kind, number, metadata or {})
    if isinstance(kind, T.StructType):
        return tuple(_value(f.dataType, number) for f in kind.fields)
    if isinstance(kind, T.ArrayType):
        return [_value(kind.elementType, number), _value(kind.elementType, number + 1)]
    if isinstance(kind, T.MapType):
        return {_value(kind.keyType, number): _value(kind.valueType, number)}
    return next((make(at) for of, make in _MADE.items() if isinstance(kind, of)), None)


_MADE: dict[type[T.DataType], Callable[[int], Any]] = {
    T.BooleanType: bool,
    T.DecimalType: Decimal,
    T.FractionalType: float,
    T.IntegralType: int,
    T.BinaryType: lambda at: bytes([at]),
    T.DateType: lambda at: date(2000, 1, 1 + at),
    T.TimestampType: lambda at: datetime(2000, 1, 1 + at),
    T.TimestampNTZType: lambda at: datetime(2000, 1, 1 + at),
    T.StringType: lambda at: "ab"[at],
}
"""By type, the first that fits: decimals are fractional, too."""


def _vector(kind: T.UserDefinedType, number: int, metadata: dict[str, Any]) -> Any:
    """A vector as long as its column says, or None where it is another type of a user."""
    vectors = import_module(f"{type(kind).__module__}")
    if type(kind).__name__ != "VectorUDT":
        return None
    length = int(metadata.get("ml_attr", {}).get("num_attrs", VECTOR))
    return vectors.Vectors.dense([float((number + at) % 2) for at in range(length)])
