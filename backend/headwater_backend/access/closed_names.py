"""Names that a reader may not see, and the closed names that stand for them.

A closed name hides which dataset, path or job it is, and is the same wherever that occurs, so that lineage still
connects. It is derived with a secret of this process: nobody can guess it, and it is understood until the server ends.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable
from functools import lru_cache
from hashlib import sha256
from typing import Final

from headwater_backend.domain.model import DatasetKey, JobKey, NodeKey, PathSteps
from headwater_backend.ports.overview import CLOSED

_DIGITS: Final = 12
_SECRET: Final = secrets.token_bytes(32)
_NOWHERE: Final = DatasetKey("", "")
_real_datasets: dict[str, DatasetKey] = {}
_real_jobs: dict[str, JobKey] = {}
_real_steps: dict[str, str] = {}


class ClosedNames:
    """Closes the names of namespaces that a caller does not see, and opens closed ones.

    ``sees`` tells whether the caller sees the names of a namespace.
    """

    def __init__(self, sees: Callable[[str], bool]) -> None:
        self.sees: Final = lru_cache(maxsize=10_000)(sees)

    def dataset(self, key: DatasetKey) -> DatasetKey:
        """The dataset's name, or its closed name."""
        return key if self.sees(key.namespace) else _closed_dataset(key)

    def job(self, key: JobKey) -> JobKey:
        """The job's name, or its closed name."""
        return key if self.sees(key.namespace) else _closed_job(key)

    def path(self, dataset: DatasetKey, path: PathSteps) -> PathSteps:
        """The path, or a path of as many closed steps if the dataset is closed: containment is kept."""
        return path if self.sees(dataset.namespace) else _closed_path(dataset, path)

    def node(self, key: NodeKey) -> NodeKey:
        """The node, or its closed name."""
        if self.sees(key.dataset.namespace):
            return key
        return NodeKey(_closed_dataset(key.dataset), _closed_path(*key))

    def real_dataset(self, key: DatasetKey) -> DatasetKey:
        """The dataset that is meant; one that does not exist if the caller may not name it."""
        found = _real_datasets.get(key.name) if key.namespace == CLOSED else None
        return found or (key if self.sees(key.namespace) else _NOWHERE)

    def real_job(self, key: JobKey) -> JobKey:
        """The job that is meant; one that does not exist if the caller may not name it."""
        found = _real_jobs.get(key.name) if key.namespace == CLOSED else None
        return found or (key if self.sees(key.namespace) else JobKey(*_NOWHERE))

    def real_node(self, key: NodeKey) -> NodeKey:
        """The node that is meant."""
        dataset = self.real_dataset(key.dataset)
        if key.dataset.namespace != CLOSED:
            return NodeKey(dataset, key.path)
        return NodeKey(dataset, tuple(_real_steps.get(step, step) for step in key.path))


@lru_cache(maxsize=100_000)
def _closed_dataset(key: DatasetKey) -> DatasetKey:
    name = f"dataset {_digest('dataset', *key)}"
    _real_datasets[name] = key
    return DatasetKey(CLOSED, name)


@lru_cache(maxsize=100_000)
def _closed_job(key: JobKey) -> JobKey:
    name = f"job {_digest('job', *key)}"
    _real_jobs[name] = key
    return JobKey(CLOSED, name)


@lru_cache(maxsize=100_000)
def _closed_path(dataset: DatasetKey, path: PathSteps) -> PathSteps:
    closed = tuple(f"closed {_digest('step', *dataset, step)}" for step in path)
    _real_steps.update(zip(closed, path, strict=True))
    return closed


def _digest(*parts: str) -> str:
    text = "\0".join((str(len(parts)), *parts)).encode("utf-8", "surrogatepass")
    return hmac.new(_SECRET, text, sha256).hexdigest()[:_DIGITS]
