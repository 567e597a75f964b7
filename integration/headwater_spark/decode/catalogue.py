"""The catalogue of Catalyst: its classes and how each is decoded, as a ladder of Spark's versions.

A step of the ladder is a version that adds or changes classes, and has rows for these alone. A plan is decoded by the
steps up to its version: 4.1 by those of 3.5 and 4.0, a version before the first step by the first. Of a version that is
not known, all steps are taken. A class that is on no step so far is decoded by the default of its sort.

Where a class is on a step, that class is all that names it: a decoder, or the name of its function (``functions``), by
which ``tracing`` and whatever else looks into plans knows it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final, TypeAlias

from headwater_spark.decode.commands.catalogue import COMMANDS
from headwater_spark.decode.context import Decoder
from headwater_spark.decode.expressions import EXPRESSIONS, EXPRESSIONS_SINCE_40, EXPRESSIONS_SINCE_42
from headwater_spark.decode.functions import FUNCTIONS
from headwater_spark.decode.relations import RELATIONS, RELATIONS_SINCE_40, RELATIONS_SINCE_42

Version: TypeAlias = tuple[int, ...]
Decoders: TypeAlias = Mapping[str, Decoder]
"""Decoders by Catalyst's class."""

_NUMBER: Final = re.compile(r"(\d+)\.(\d+)")
_COMMANDS: Final[Decoders] = {name: row.decode for name, row in COMMANDS.items() if row.decode is not None}


@dataclass(frozen=True, slots=True)
class Step:
    """What a version of Spark adds to those before it, or has in another form."""

    version: Version
    expressions: Decoders
    relations: Decoders
    commands: Decoders


LADDER: Final = (
    Step((3, 5), EXPRESSIONS, RELATIONS, _COMMANDS),
    Step((4, 0), EXPRESSIONS_SINCE_40, RELATIONS_SINCE_40, {}),
    Step((4, 2), EXPRESSIONS_SINCE_42, RELATIONS_SINCE_42, {}),
)
"""The steps, from the first version on."""


def decoders_of(version: str) -> Decoders:
    """The decoders for a version as Spark spells it (``3.5.9``)."""
    number = _NUMBER.match(version)
    return _up_to(None if number is None else (int(number[1]), int(number[2])))


@cache
def _up_to(version: Version | None) -> Decoders:
    first, *later = LADDER
    steps = [first, *(step for step in later if version is None or step.version <= version)]
    return {
        **_joined(step.commands for step in steps),
        **_joined(step.relations for step in steps),
        **_joined(step.expressions for step in steps),
    }


def _joined(tables: Iterable[Decoders]) -> Decoders:
    return {name: decoder for table in tables for name, decoder in table.items()}


CLASSES: Final = frozenset({*_up_to(None), *COMMANDS, *FUNCTIONS})
"""All of Catalyst's classes that have a row."""
