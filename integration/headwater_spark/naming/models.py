"""Models of Spark's machine learning library: many files in one directory, and one dataset.

To save a model the library writes its ``metadata`` first, then its data, and the models in it in the same way; to load
it, it reads them in that order. So the place of a model is where its metadata lies, unless that is inside another one:

    /m/churn/metadata, /m/churn/stages/0_indexer/metadata, /m/churn/stages/0_indexer/data   are   /m/churn
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from headwater_spark.naming.datasets import DatasetId, Identity, as_part_of

_METADATA: Final = "/metadata"
MOST: Final = 1_000
"""Places of models that are remembered."""


class Models:
    """The places of models that an application has saved or loaded."""

    def __init__(self) -> None:
        self._places: dict[DatasetId, None] = {}

    @property
    def places(self) -> tuple[DatasetId, ...]:
        """Their datasets."""
        return tuple(self._places)

    def learn(self, datasets: Iterable[Identity]) -> None:
        """Files that the library has written or read."""
        for each in datasets:
            place = DatasetId(each.id.namespace, each.id.name.removesuffix(_METADATA))
            is_model = place != each.id and not any(_holds(known, place) for known in self._places)
            if is_model and len(self._places) < MOST:
                self._places[place] = None


def whole_model(dataset: Identity, models: Iterable[DatasetId]) -> Identity:
    """The model that the dataset is a part of; else the dataset."""
    found = next((place for place in models if _holds(place, dataset.id)), None)
    return dataset if found is None else as_part_of(dataset, found)


def _holds(place: DatasetId, dataset: DatasetId) -> bool:
    inside = dataset.name == place.name or dataset.name.startswith(f"{place.name}/")
    return inside and dataset.namespace == place.namespace
