"""Models of Spark's machine learning library: directories with many files, each of which is one dataset.

To save a model, the library writes its ``metadata`` first, then its data, and nested models in the same way; to load
it, the library reads them in that order. So the parent of a ``metadata`` directory is a model, unless it is inside
another one; and so is that of a ``data`` directory to which it writes, since Spark 3.5 writes metadata by an action on
an RDD, of which nobody sees that it is the library's:

    /m/churn/metadata, /m/churn/stages/0_indexer/metadata, /m/churn/stages/0_indexer/data   are   /m/churn
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from headwater_facets.locations import DatasetId
from headwater_spark.naming.datasets import ResolvedDataset, as_part_of

_METADATA: Final = "/metadata"
_DATA: Final = "/data"
_NESTED: Final = re.compile(r"(/(stages/\d+_[^/]+|bestModel|subModels(/[^/]+)*|estimator|model_\d+))+$")
"""Where the library keeps a model that is inside another one."""
MOST: Final = 1_000
"""The number of models that are recorded."""


class Models:
    """The directories of the models that an application has saved or loaded."""

    def __init__(self) -> None:
        self._places: dict[DatasetId, None] = {}

    @property
    def places(self) -> tuple[DatasetId, ...]:
        """The models as datasets."""
        return tuple(self._places)

    def add(self, read: Iterable[ResolvedDataset], written: Iterable[ResolvedDataset]) -> None:
        """Add the models among the datasets that the library has read and written."""
        for each in read:
            self._add(each.id, _METADATA)
        for each in written:
            self._add(each.id, _METADATA)
            self._add(each.id, _DATA)

    def _add(self, part: DatasetId, name: str) -> None:
        place = DatasetId(part.namespace, _NESTED.sub("", part.name.removesuffix(name)))
        is_model = part.name.endswith(name) and not any(_contains(known, place) for known in self._places)
        if is_model and len(self._places) < MOST:
            self._places[place] = None


def whole_model(dataset: ResolvedDataset, models: Iterable[DatasetId]) -> ResolvedDataset:
    """The model that the dataset is a part of, or the dataset itself."""
    found = next((place for place in models if _contains(place, dataset.id)), None)
    return dataset if found is None else as_part_of(dataset, found)


def _contains(place: DatasetId, dataset: DatasetId) -> bool:
    inside = dataset.name == place.name or dataset.name.startswith(f"{place.name}/")
    return inside and dataset.namespace == place.namespace
