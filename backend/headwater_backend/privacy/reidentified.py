"""A pseudonym that is no protection in a dataset, and how it is readable there."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from headwater_backend.domain.model import DatasetKey, Edge, NodeKey
from headwater_backend.privacy.classification.personal import Attribute
from headwater_backend.privacy.forms import Form


class How(Enum):
    """How a pseudonym is re-identified; ``answers.reidentification`` describes each."""

    SAME_ROWS = "SAME_ROWS"
    SAME_DATASET = "SAME_DATASET"
    KEY_TABLE = "KEY_TABLE"


class Held(NamedTuple):
    """A path that holds an attribute; the witness is a shortest route, empty where the attribute is declared."""

    node: NodeKey
    form: Form
    witness: tuple[Edge, ...] = ()


@dataclass(frozen=True, slots=True)
class Reidentification:
    """A dataset in which a pseudonym of the attribute is readable by the source.

    With ``KEY_TABLE``, the pseudonym is what was joined, by the edge ``join``; the source is in the key table, and
    ``brought`` is what identifies the person and came from there.
    """

    dataset: DatasetKey
    attribute: Attribute
    how: How
    pseudonym: Held
    source: Held
    join: Edge | None = None
    brought: Held | None = None

    @property
    def node(self) -> NodeKey:
        """The path of the pseudonym; the rows of the dataset if that was joined with a key table."""
        return NodeKey(self.dataset, ()) if self.join else self.pseudonym.node

    @property
    def forms(self) -> tuple[Form, ...]:
        """The form of the attribute that is not protected by it."""
        return (self.pseudonym.form,)

    @property
    def witness(self) -> tuple[Edge, ...]:
        """A shortest route of the pseudonym to the dataset, or into the join."""
        return (*self.pseudonym.witness, *((self.join,) if self.join else ()))

    @property
    def distance(self) -> int:
        """The number of edges of that route."""
        return len(self.witness)

    @property
    def routes(self) -> tuple[tuple[Edge, ...], ...]:
        """The routes of all that it takes: of the pseudonym, of what makes it readable, and of what a join brought."""
        return (self.witness, self.source.witness, self.brought.witness if self.brought else ())
