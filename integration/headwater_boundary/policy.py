"""What may cross the boundary, and what is known of the regions' data: a YAML file.

    shared: ["*/countries", "*/products"]       # the same everywhere: neither personal nor of one region
    regional: ["*/stock"]                        # no personal data, but each region has rows of its own
    places: {"/data/": "/data/{region}/"}        # where the regional sources are, inside a region
    least_group: 5                               # rows (or persons) that a group needs before it may leave
    persons: ["*/orders customer_id"]            # what identifies a person, to count these in groups
    colocated:                                   # rows with equal values here are in one region
      customer: ["*/orders customer_id", "*/customers id"]
    sketches: true                               # sketches that count personal values may leave (HyperLogLog, Theta)
    quantile_sketches: true                      # KLL sketches may, which have some of the values themselves
    forms:                                       # forms that may leave; by default aggregated, masked, influenced
      user.location.imprecise: [identity, transformed, derived, aggregated, masked, influenced]

Datasets are patterns of names with ``*`` and ``?``; a path stands behind a space. Letter case counts in what the policy
promises, which is refused where it fits nothing, and not in who is a person.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

import yaml

from headwater_backend.domain.patterns import name_pattern
from headwater_backend.privacy.forms import Form
from headwater_backend.privacy.policies import DEFAULT_ALLOWED


class PolicyError(ValueError):
    """A policy that cannot be read."""


_KEYS = {
    "shared", "regional", "places", "least_group", "persons", "colocated", "sketches", "quantile_sketches", "forms",
}  # fmt: skip


class Sketch(Enum):
    """What a sketch that leaves a region is good for."""

    DISTINCT = "sketches"
    """It counts values, by their hashes."""
    QUANTILES = "quantile_sketches"
    """It has some of the values themselves, and of a small group all, without whose they are."""


@dataclass(frozen=True, slots=True)
class Policy:
    """What a company states about its boundary."""

    shared: tuple[str, ...] = ()
    regional: tuple[str, ...] = ()
    places: Mapping[str, str] = field(default_factory=dict)
    least_group: int = 1
    persons: tuple[str, ...] = ()
    colocated: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sketches: frozenset[Sketch] = frozenset()
    forms: Mapping[str, frozenset[Form]] = field(default_factory=dict)

    def is_shared(self, dataset: str) -> bool:
        """Whether the dataset is stated to be the same everywhere, and not personal."""
        return any(_names(each, dataset) for each in self.shared)

    def is_regional(self, dataset: str) -> bool:
        """Whether each region is stated to have rows of its own."""
        return any(_names(each, dataset) for each in self.regional)

    def place(self, path: str) -> str:
        """Where a regional source is, with ``{region}`` for the region."""
        for prefix, inside in self.places.items():
            if path.startswith(prefix):
                return inside + path[len(prefix) :]
        return path

    def colocation(self, dataset: str, path: tuple[str, ...]) -> str | None:
        """The group of paths whose equal values are in one region, if this is one."""
        for name, patterns in self.colocated.items():
            if any(_fits(each, dataset, path) for each in patterns):
                return name
        return None

    def is_person(self, dataset: str, path: tuple[str, ...]) -> bool:
        """Whether the path identifies persons, by whom groups are counted; letter case does not count."""
        folded = tuple(step.casefold() for step in path)
        return any(_fits(each.casefold(), dataset.casefold(), folded) for each in self.persons)

    def may_leave(self, form: Form, categories: tuple[str, ...]) -> bool:
        """Whether values of all these categories may leave in this form."""
        return all(form in self._forms(each) for each in categories or ("user",))

    def _forms(self, category: str) -> frozenset[Form]:
        steps = category.split(".")
        for length in range(len(steps), 0, -1):
            if (found := self.forms.get(".".join(steps[:length]))) is not None:
                return found
        return frozenset(DEFAULT_ALLOWED)


def _names(pattern: str, dataset: str) -> bool:
    return name_pattern(pattern).fullmatch(dataset) is not None


def _fits(pattern: str, dataset: str, path: tuple[str, ...]) -> bool:
    name, _, steps = pattern.partition(" ")
    return _names(name, dataset) and steps == ".".join(path)


def read_policy(file: Path | None) -> Policy:
    """The policy of a file; without one, nothing is stated. Raises ``PolicyError``."""
    if file is None:
        return Policy()
    try:
        return parse_policy(yaml.safe_load(file.read_text("utf-8")) or {})
    except (yaml.YAMLError, OSError, UnicodeDecodeError) as error:
        raise PolicyError(f"{file}: {error}") from error


def parse_policy(content: Any) -> Policy:
    """The policy of a mapping. Raises ``PolicyError``."""
    if not isinstance(content, Mapping):
        raise PolicyError("a policy is a mapping")
    if unknown := set(content) - _KEYS:
        raise PolicyError(f"unknown {sorted(map(str, unknown))}; known: {sorted(_KEYS)}")
    least = content.get("least_group", 1)
    if not isinstance(least, int) or isinstance(least, bool) or least < 1:
        raise PolicyError("least_group is a number from 1")
    try:
        forms = {
            str(category): frozenset(Form[str(form).upper()] for form in words)
            for category, words in dict(content.get("forms") or {}).items()
        }
    except KeyError as error:
        raise PolicyError(f"{error} is no form; known: {[each.name.lower() for each in Form]}") from error
    return Policy(
        tuple(map(str, content.get("shared") or ())),
        tuple(map(str, content.get("regional") or ())),
        {str(k): str(v) for k, v in dict(content.get("places") or {}).items()},
        least,
        tuple(map(str, content.get("persons") or ())),
        {str(k): tuple(map(str, v)) for k, v in dict(content.get("colocated") or {}).items()},
        frozenset(each for each in Sketch if content.get(each.value) is True),
        forms,
    )
