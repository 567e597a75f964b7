"""Functions of the stages of Spark's machine learning library: in plans they are user functions without a name.

What tells them is the class that the function was compiled in, such as ``…ml.feature.Tokenizer$$Lambda$12``. A stage
that is not listed, such as a predictor, stays opaque.
"""

from __future__ import annotations

import re
from typing import Final

_STAGE: Final = re.compile(r"org\.apache\.spark\.(?:sql\.)?ml\.(?:[a-z0-9]+\.)*(\w+)\$")
_OF_ITS_ARGUMENTS = """
    DCT FeatureHasher HashingTF Interaction NGram Normalizer PolynomialExpansion RegexTokenizer Tokenizer
    VectorAssembler VectorSizeHint VectorSlicer functions InternalFunctionRegistration
"""
"""Stages whose result is made of their arguments alone, …"""
_WITH_VALUES = """
    Binarizer Bucketizer CountVectorizerModel ElementwiseProduct IDFModel IndexToString LSHModel MinMaxScalerModel
    OneHotEncoderModel PCAModel SelectorModel StandardScalerModel StopWordsRemover StringIndexerModel VectorIndexerModel
    Word2VecModel
"""
"""… and those that hold values of the program, or of the data that they were fitted to."""
HOLD_VALUES: Final = frozenset(_WITH_VALUES.split())
STAGES: Final = HOLD_VALUES | frozenset(_OF_ITS_ARGUMENTS.split())


def stage_of(function_class: str) -> str | None:
    """The stage that a function with such a class belongs to; None for other functions."""
    found = _STAGE.match(function_class)
    name = found[1].rstrip("$") if found else ""
    return name if name in STAGES else None
