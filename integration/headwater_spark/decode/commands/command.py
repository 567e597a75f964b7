"""What is known of a command: a row of the catalogue."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from headwater_facets.kinds import Replaced
from headwater_spark.decode.context import Decoder
from headwater_spark.decode.document import Node, PlanDocument
from headwater_spark.decode.sources import Describer

Extent: TypeAlias = Mapping[str, Replaced]
"""What is replaced, by the partition overwrite mode of the session."""

Measure: TypeAlias = Callable[[Node, PlanDocument], Extent]
"""(command, its document) → how much of the target's content it replaces."""

NOT_KNOWN: Extent = {}


class Effect(Enum):
    """What a command does to the whole of its target, whatever the mode is in which it writes."""

    CREATE = "CREATE"
    OVERWRITE = "OVERWRITE"
    TRUNCATE = "TRUNCATE"
    DROP = "DROP"
    ALTER = "ALTER"


def not_known(_: Node, __: PlanDocument) -> Extent:
    return NOT_KNOWN


@dataclass(frozen=True, slots=True)
class Command:
    """A command, or a part of one.

    ``decode`` is None for a command that holds a plan and writes no dataset; ``target`` describes what is written in a
    document that cannot be decoded. ``effect`` is None where the mode says it. ``inserts``: it runs an insert into the
    table that it creates, which alone knows where that lies.
    """

    decode: Decoder | None = None
    target: Describer | None = None
    extent: Measure = not_known
    effect: Effect | None = None
    inserts: bool = False


def parts(decoders: Mapping[str, Decoder]) -> Mapping[str, Command]:
    """Rows of what is only decoded."""
    return {name: Command(decoder) for name, decoder in decoders.items()}
