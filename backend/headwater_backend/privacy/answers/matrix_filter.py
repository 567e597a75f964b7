"""What of the matrix is asked for: of special categories, of one data subject, of the datasets of one owner.

A filter leaves out only what certainly is something else: a broad category that may hold special ones stays, and so
do data of which nobody states whose they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from headwater_backend.domain.facet_readers import owners
from headwater_backend.domain.model import DatasetKey
from headwater_backend.ports import Labels
from headwater_backend.privacy.classification.personal import Attribute
from headwater_backend.privacy.classification.vocabulary import may_be_special
from headwater_backend.privacy.organisation.coverage import Coverage

UNOWNED = ""
"""The owner of datasets of which no event names any."""


@dataclass(frozen=True, slots=True)
class MatrixFilter:
    """The parts of the matrix that are wanted; None for all."""

    special: bool = False
    subject: str | None = None
    owner: str | None = None

    @property
    def text(self) -> str:
        """The filter as text, which tells it from others."""
        return repr((self.special, self.subject, self.owner))

    def wants_dataset(self, dataset: DatasetKey, owned: Mapping[DatasetKey, tuple[str, ...]]) -> bool:
        """Whether the datasets of the owner include it."""
        return self.owner is None or self.owner in (owned.get(dataset) or (UNOWNED,))

    def wants_category(self, category: str) -> bool:
        """Whether the category is, or may hold, a special one, where only these are wanted."""
        return not self.special or may_be_special(category)

    def wants_attribute(self, attribute: Attribute, held: DatasetKey, stated: Coverage) -> bool:
        """Whether the attribute is of a wanted category, and may be of the wanted subject."""
        subjects = () if self.subject is None else stated.subjects_of(attribute.node.dataset, held)
        is_wanted = not attribute.categories or any(map(self.wants_category, attribute.categories))
        return is_wanted and (self.subject is None or not subjects or self.subject in subjects)


EVERYTHING = MatrixFilter()


@dataclass(frozen=True, slots=True)
class Choices:
    """What filters may ask for, each sorted: of all cells, whatever the filter is."""

    categories: tuple[str, ...]
    subjects: tuple[str, ...]
    owners: tuple[str, ...]


NO_CHOICES = Choices((), (), ())


def owners_of(store: Labels) -> dict[DatasetKey, tuple[str, ...]]:
    """The names of the owners of each dataset that has any."""
    named = ((key, owners(facets)) for key, facets in store.labelled_datasets().items())
    return {key: tuple(owner.name for owner in found) for key, found in named if found}


def choices(
    attributes: Iterable[Attribute],
    held: Iterable[DatasetKey],
    stated: Coverage,
    owned: Mapping[DatasetKey, tuple[str, ...]],
) -> Choices:
    """What can be chosen of these attributes, and of the datasets that hold them."""
    known = list(held)
    subjects = {subject for each in stated.organisation.processing for subject in each.subjects}
    return Choices(
        tuple(sorted({category for each in attributes for category in each.categories})),
        tuple(sorted(subjects)),
        tuple(sorted({name for key in known for name in owned.get(key, ())})),
    )
