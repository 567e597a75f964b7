"""Names of datasets that are named by where they are stored, by OpenLineage's naming rules.

One rule for every producer of ours, so that what one of them writes is what another one reads: ``s3a://bucket/a/day=1``
is the dataset ``a`` of ``s3://bucket``, and ``/data/people/part-00000.parquet`` the dataset ``/data/people``.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple
from urllib.parse import unquote

_OBJECT_STORES: Final = {"s3": "s3", "s3a": "s3", "s3n": "s3", "gs": "gs", "oss": "oss", "cos": "cos"}
_AZURE: Final = ("abfs", "abfss", "wasb", "wasbs")
_PARTITION: Final = re.compile(r"/[^/=]+=[^/]*$")
_UUID: Final = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_PART_FILE: Final = re.compile(rf"/part-([mr]-)?\d{{5,}}(-{_UUID}[^/]*|(\.\w+)*)$")
"""A file that Spark wrote: it belongs to the dataset of its folder."""
_NULL: Final = "__HIVE_DEFAULT_PARTITION__"
"""What stands for NULL in the name of a folder."""


class DatasetId(NamedTuple):
    """A dataset's name in OpenLineage."""

    namespace: str
    name: str


def location_id(location: str) -> DatasetId:
    """The dataset at a location, which has no credentials in it: a plain path is a local file."""
    scheme, authority, path = split_location(location)
    path = without_partitions(without_part_file(path)) or "/"
    if scheme in _OBJECT_STORES:
        return DatasetId(f"{_OBJECT_STORES[scheme]}://{authority}", path.lstrip("/") or "/")
    if scheme in _AZURE:
        return DatasetId(f"{scheme}://{authority}", path.lstrip("/") or "/")
    return DatasetId(f"{scheme}://{authority}" if authority else scheme, path)


def split_location(location: str) -> tuple[str, str, str]:
    """Scheme, authority and path; a plain path is a local file. Hadoop's paths are not percent-encoded."""
    scheme, colon, rest = location.partition(":")
    if not colon or "/" in scheme:
        return "file", "", location
    authority = ""
    if rest.startswith("//"):
        authority, slash, path = rest[2:].partition("/")
        rest = slash + path
    return scheme.lower(), authority, rest


def folder_values(path: str) -> dict[str, str | None]:
    """The columns that the folders of a path give a value each: ``x/year=2026/month=6`` is a part of ``x``."""
    path = without_part_file(path)
    folders = path[len(without_partitions(path)) :].split("/")
    pairs = (folder.partition("=") for folder in folders if folder)
    return {unquote(name): None if text == _NULL else unquote(text) for name, _, text in pairs}


def without_part_file(path: str) -> str:
    """The folder of a file that Spark wrote; else the path, with single slashes and none at its end."""
    return _PART_FILE.sub("", re.sub(r"/{2,}", "/", path).rstrip("/"))


def without_partitions(path: str) -> str:
    """The folder above all folders that are named by a column's value."""
    while (shorter := _PARTITION.sub("", path)) != path and shorter:
        path = shorter
    return path
