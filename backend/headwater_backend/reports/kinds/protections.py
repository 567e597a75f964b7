"""What jobs do to protect personal data on their way, and what only looks as if it did."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from headwater_backend.domain.model import DatasetKey, JobKey, Transformation
from headwater_backend.privacy.forms import Form, FormTable, form_table
from headwater_backend.reports.kinds.material import Material
from headwater_facets.kinds import Manipulation, Retains

PROTECTING: Final = (Form.PSEUDONYMISED, Form.MASKED)
_KEYED = frozenset({"hmac", "aes_encrypt", "try_aes_encrypt"})
_BARE = frozenset({"md5", "sha", "sha1", "sha2"})


Edge = tuple[JobKey, DatasetKey, DatasetKey, Transformation]


@dataclass(frozen=True, slots=True, order=True)
class Protection:
    """What a job does to personal data between two datasets, by which functions, so that they arrive in that form."""

    job: JobKey
    source: DatasetKey
    target: DatasetKey
    form: Form
    how: str
    functions: tuple[str, ...]


@dataclass(frozen=True, slots=True, order=True)
class Shortened:
    """What a job calls masking, and is no measure, because the results can be tried out: a checksum, a short hash."""

    job: JobKey
    source: DatasetKey
    target: DatasetKey
    functions: tuple[str, ...]


def protections(material: Material) -> tuple[Protection, ...]:
    """The masking and pseudonymising edges that personal data pass, sorted."""
    table = form_table(material.question.ruling.functions)
    functions: dict[tuple[JobKey, DatasetKey, DatasetKey, Form, str], set[str]] = defaultdict(set)
    for job, source, target, kind in _edges(material):
        form = table.arrival(kind).form
        if form in PROTECTING:
            functions[job, source, target, form, _how(kind, form)].update(kind.functions)
    return tuple(sorted(Protection(*key, tuple(sorted(names))) for key, names in functions.items()))


def shortened(material: Material) -> tuple[Shortened, ...]:
    """What is called masking on the way of personal data, and is no measure, sorted."""
    table = form_table(material.question.ruling.functions)
    functions: dict[tuple[JobKey, DatasetKey, DatasetKey], set[str]] = defaultdict(set)
    for job, source, target, kind in _edges(material):
        if _is_shortened(kind, table):
            functions[job, source, target].update(kind.functions)
    return tuple(sorted(Shortened(*key, tuple(sorted(names))) for key, names in functions.items()))


def _edges(material: Material) -> Iterator[Edge]:
    for fan in material.propagation.fans() if material.propagation else ():
        for kind in fan.transformations:
            for target in dict.fromkeys(far.dataset for far in fan.fars):
                yield fan.job, fan.near.dataset, target, kind


def _is_shortened(kind: Transformation, table: FormTable) -> bool:
    masked = kind.masking or Manipulation.MASK in kind.manipulation
    return masked and table.arrival(kind).form not in PROTECTING


def _how(kind: Transformation, form: Form) -> str:
    """The key of how a value is protected."""
    if form is Form.MASKED:
        return "MASKED"
    names = {name.lower() for name in kind.functions}
    if kind.retains == Retains.KEYED_TOKEN or (kind.retains is None and names & _KEYED):
        return "KEYED"
    bare = kind.retains == Retains.TOKEN or (kind.retains is None and names and names <= _BARE)
    return "BARE" if bare else "UNKNOWN"
