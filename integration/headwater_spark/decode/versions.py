"""What is different between Spark's versions, as tables of decoders: a later version is an earlier one with changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from headwater_spark.decode.commands.changes import CHANGES
from headwater_spark.decode.commands.columns import COLUMNS
from headwater_spark.decode.commands.moves import MOVES
from headwater_spark.decode.context import Decoder
from headwater_spark.decode.expressions import EXPRESSIONS, EXPRESSIONS_SINCE_4
from headwater_spark.decode.relations import RELATIONS, RELATIONS_SINCE_4


@dataclass(frozen=True, slots=True)
class SparkVersion:
    """A line of Spark's versions: the decoders of its expressions, operators and commands, by Catalyst's class."""

    expressions: Mapping[str, Decoder]
    relations: Mapping[str, Decoder]

    @classmethod
    def of(cls, version: str) -> SparkVersion:
        """The line of a version as Spark spells it (``3.5.9``); of one that is not known, the newest."""
        return SPARK_35 if version.startswith("3.") else SPARK_4

    def decoder(self, name: str) -> Decoder | None:
        """The decoder of a class, None where the default of its sort is to be taken."""
        for table in (self.expressions, self.relations, CHANGES, COLUMNS, MOVES):
            if (found := table.get(name)) is not None:
                return found
        return None


SPARK_35 = SparkVersion(EXPRESSIONS, RELATIONS)
SPARK_4 = SparkVersion({**EXPRESSIONS, **EXPRESSIONS_SINCE_4}, {**RELATIONS, **RELATIONS_SINCE_4})
