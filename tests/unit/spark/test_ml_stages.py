"""Functions of the stages of machine learning in plans, by the classes that Spark compiles them in."""

from __future__ import annotations

import pytest

from headwater_facets.kinds import Retains
from headwater_plan.nodes import Call
from headwater_spark.decode.ml_stages import stage_of
from headwater_spark.tracing.values.readback import retains_of

FEATURE = "org.apache.spark.ml.feature"


@pytest.mark.parametrize(
    ("compiled", "stage"),
    [
        (f"{FEATURE}.StringIndexerModel$$Lambda$4698/0x00007fd79e45dd08", "StringIndexerModel"),
        (f"{FEATURE}.StandardScalerModel$$$Lambda$5158/0x00007fd79e56ee30", "StandardScalerModel"),
        (f"{FEATURE}.Tokenizer$$Lambda$1", "Tokenizer"),
        ("org.apache.spark.ml.functions$$$Lambda$5234/0x1", "functions"),
        (
            "org.apache.spark.sql.ml.InternalFunctionRegistration$$$Lambda$1119/0x1",
            "InternalFunctionRegistration",
        ),
    ],
)
def test_a_stage_is_known_by_the_class_of_its_function(compiled: str, stage: str) -> None:
    assert stage_of(compiled) == stage


@pytest.mark.parametrize(
    "compiled",
    [
        "org.apache.spark.ml.PredictionModel$$Lambda$6352/0x1",
        f"{FEATURE}.OfALaterSpark$$Lambda$1",
        "com.example.Tokenizer$$Lambda$1",
        "com.example.org.apache.spark.ml.feature.Tokenizer$$Lambda$1",
        "",
    ],
)
def test_any_other_function_stays_opaque(compiled: str) -> None:
    assert stage_of(compiled) is None


@pytest.mark.parametrize(
    ("stage", "retains"),
    [
        ("VectorAssembler", Retains.CONTAINS),
        ("StringIndexerModel", Retains.CONTAINS),
        ("HashingTF", Retains.PART),
        ("Binarizer", Retains.FACT),
    ],
)
def test_what_can_be_read_back_of_a_stages_argument(stage: str, retains: Retains) -> None:
    assert retains_of(Call(f"ml.{stage}", ())) is retains
