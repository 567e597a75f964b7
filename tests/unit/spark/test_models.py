"""Saved models are datasets as a whole; what only has the names of their folders is not."""

from __future__ import annotations

import pytest

from headwater_facets.locations import DatasetId
from headwater_spark.naming.datasets import ResolvedDataset
from headwater_spark.naming.models import Models, whole_model


def dataset(name: str) -> ResolvedDataset:
    return ResolvedDataset(DatasetId("file", name))


@pytest.mark.parametrize(
    ("written", "whole"),
    [
        (["/m/metadata", "/m/data"], {"/m"}),
        (["/m/data"], {"/m"}),
        (["/m/stages/0_words_1/data"], {"/m"}),
        (["/m/bestModel/stages/1_tree_2/data"], {"/m"}),
        (["/m/metadata", "/m/stages/0_words_1/metadata"], {"/m"}),
        (["/stages/0_words_1"], set()),
    ],
)
def test_what_the_library_writes_is_a_model(written: list[str], whole: set[str]) -> None:
    models = Models()
    models.add([], map(dataset, written))

    assert {each.name for each in models.places} == whole


def test_data_that_the_library_reads_are_a_model_beside_metadata_that_it_reads_alone() -> None:
    models = Models()
    models.add([dataset("/people/data")], [])
    assert models.places == ()

    models.add([dataset("/m/metadata")], [])
    assert whole_model(dataset("/m/stages/0_words_1/data"), models.places).id.name == "/m"
    assert whole_model(dataset("/people/data"), models.places).id.name == "/people/data"
