"""Text keys of datasets and nodes, the same in every store.

``namespace/name/`` is a dataset and each further segment a step of the path::

    ("file", "/in/tweets"), ("user", "id_str")   ->   file/%2Fin%2Ftweets/user/id_str/

Every segment ends with a slash and holds none, so a key is a prefix of exactly the keys of its subtree,
and the subtree is one range of an ordered index: from the key up to ``after(key)``.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from headwater_backend.domain.model import DatasetKey, JobKey, NodeKey, PathSteps, RunKey

MAX_KEY_BYTES = 7_000
"""Neo4j's range index takes keys of up to 8 kB."""
CLAIM: Final = "claim "
"""The beginning of the owner of a facet that a caller claims about a dataset of others."""


def escape(segment: str) -> str:
    """The segment with slashes and NULs escaped."""
    if "/" not in segment and "%" not in segment and "\0" not in segment:
        return segment
    return segment.replace("%", "%25").replace("/", "%2F").replace("\0", "%00")


def unescape(text: str) -> str:
    """The inverse of ``escape``."""
    return text.replace("%00", "\0").replace("%2F", "/").replace("%25", "%") if "%" in text else text


@lru_cache(maxsize=65_536)
def named_text(key: DatasetKey | JobKey) -> str:
    """The key of a dataset or a job."""
    return f"{escape(key.namespace)}/{escape(key.name)}/"


def node_text(node: NodeKey) -> str:
    """The key of a node; that of the empty path is its dataset's key."""
    return named_text(node.dataset) + path_text(node.path)


@lru_cache(maxsize=65_536)
def path_text(path: PathSteps) -> str:
    """The part of a node's key that follows its dataset's key."""
    if len(path) == 1:
        return f"{escape(path[0])}/"
    return "".join([f"{escape(step)}/" for step in path])


def dataset_part(text: str) -> str:
    """The dataset's key, out of a node's."""
    return text[: text.index("/", text.index("/") + 1) + 1]


def slot_parts(text: str) -> tuple[str, str]:
    """The keys of the job and of the output, out of the key of a slot: one output of one job."""
    job = dataset_part(text)
    return job, text[len(job) :]


@lru_cache(maxsize=65_536)
def dataset_of(text: str) -> DatasetKey:
    """The dataset with that key."""
    namespace, name, _ = text.split("/")
    return DatasetKey(unescape(namespace), unescape(name))


@lru_cache(maxsize=65_536)
def job_of(text: str) -> JobKey:
    """The job with that key."""
    namespace, name, _ = text.split("/")
    return JobKey(unescape(namespace), unescape(name))


@lru_cache(maxsize=262_144)
def node_of(text: str) -> NodeKey:
    """The node with that key."""
    dataset = dataset_part(text)
    return NodeKey(dataset_of(dataset), _path_of(text[len(dataset) :]))


@lru_cache(maxsize=65_536)
def _path_of(text: str) -> PathSteps:
    """The inverse of ``path_text``. The nodes of many datasets with the same columns share their paths."""
    return tuple(map(unescape, text.split("/")[:-1]))


def run_text(job: JobKey, run_id: str) -> str:
    """The key of a run: run ids are unique within their job."""
    return f"{named_text(job)}{escape(run_id)}/"


def run_of(text: str) -> RunKey:
    """The run with that key."""
    job, _, run_id = text[:-1].rpartition("/")
    return RunKey(job_of(f"{job}/"), unescape(run_id))


def used_part(owner: str) -> str:
    """The dataset's key, out of the owner of a facet of a run's input or output."""
    return "".join(f"{part}/" for part in owner.split("/")[3:5])


@lru_cache(maxsize=65_536)
def holders(path: str) -> tuple[str, ...]:
    """The texts of all ancestors of a path, the empty path first."""
    steps = path.split("/")[:-1]
    return tuple("".join(f"{step}/" for step in steps[:length]) for length in range(len(steps)))


def after(text: str) -> str:
    """The first text after the subtree of that key: ``0`` follows the slash in every collation we use."""
    return text[:-1] + "0"


def claims_about(dataset: str) -> str:
    """The beginning of the owner of each claim about the dataset with that key."""
    return CLAIM + dataset


def claim_owner(dataset: str, caller: str) -> str:
    """The owner of that caller's claims about the dataset with that key."""
    return f"{claims_about(dataset)}{escape(caller)}/"


def claim_of(owner: str) -> tuple[DatasetKey, str]:
    """The dataset that a claim is about, and the caller's name."""
    namespace, name, caller, _ = map(unescape, owner.removeprefix(CLAIM).split("/"))
    return DatasetKey(namespace, name), caller
