"""Dataset namespace resolvers, set as for the official agent."""

from __future__ import annotations

import logging

import pytest

from headwater_facets.locations import DatasetId
from headwater_spark.naming.datasets import Catalogs, at_location, resolve_datasets
from headwater_spark.naming.namespace_resolvers import PREFIX, resolve_namespace

HOSTS = {"type": "hostList", "hosts": "[b1.example;B2.example]"}
PATTERN = {"type": "pattern", "regex": r"cassandra-prod(\d)+\.company\.com"}
GROUP = {
    "type": "patternGroup",
    "regex": r"(?<cluster>[a-zA-Z-]+)-(\d)+\.company\.com:[\d]*",
    "matchingGroup": "cluster",
}


def conf(name: str = "resolved", **parts: str) -> dict[str, str]:
    return {f"{PREFIX}{name}.{part}": value for part, value in parts.items()}


@pytest.mark.parametrize(
    ("parts", "namespace", "expected"),
    [
        (HOSTS, "kafka://b1.EXAMPLE:9092", "kafka://resolved:9092"),
        (HOSTS, "kafka://b2.example:9092,b1.example:9092", "kafka://b2.example:9092,resolved:9092"),
        (HOSTS, "kafka://b3.example:9092", "kafka://b3.example:9092"),
        ({**HOSTS, "hosts": "b1.example, b2.example"}, "b2.example", "resolved"),
        ({**HOSTS, "schema": "kafka"}, "postgres://b1.example:5432", "postgres://b1.example:5432"),
        (PATTERN, "cassandra://cassandra-prod12.company.com:9042", "cassandra://resolved:9042"),
        (PATTERN, "cassandra://other.company.com:9042", "cassandra://other.company.com:9042"),
        (GROUP, "cassandra://cassandra-prod-7.company.com:8080/x", "cassandra://cassandra-prod/x"),
        (
            {**GROUP, "schema": "kafka"},
            "cassandra://c-7.company.com:8080",
            "cassandra://c-7.company.com:8080",
        ),
    ],
)
def test_a_resolver_gives_another_namespace_or_leaves_it(
    parts: dict[str, str], namespace: str, expected: str
) -> None:
    assert resolve_namespace(namespace, conf(**parts)) == expected


def test_the_first_resolver_by_name_that_changes_the_namespace_counts() -> None:
    both = {
        **conf("z", **HOSTS),
        **conf("a", type="pattern", regex=r"b[12]\.example"),
        **conf("0", **PATTERN),
    }
    assert resolve_namespace("kafka://b1.example:1", both) == "kafka://a:1"


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"type": "custom"}, "has no 'custom'"),
        ({"hosts": "a"}, "has no ''"),
        ({"type": "hostList"}, "has no 'hosts'"),
        ({"type": "pattern", "regex": "("}, "its regex is invalid"),
        ({**GROUP, "matchingGroup": "other"}, "no group 'other'"),
    ],
)
def test_an_invalid_resolver_is_ignored_with_a_warning(
    parts: dict[str, str], words: str, caplog: pytest.LogCaptureFixture
) -> None:
    settings = {**conf("bad " + words, **parts), **conf("good", **HOSTS)}
    with caplog.at_level(logging.WARNING):
        assert resolve_namespace("kafka://b1.example", settings) == "kafka://good"
    assert words in caplog.text


def test_datasets_are_named_in_the_resolved_namespace() -> None:
    catalogs = Catalogs(conf("ns", type="hostList", hosts="[nn1:8020;nn2:8020]"))
    (files,) = resolve_datasets({"kind": "files", "roots": ["hdfs://nn2:8020/a/b"]}, catalogs)
    assert files.id == DatasetId("hdfs://ns", "/a/b")
    table = {
        "kind": "table",
        "identifier": {"database": "db", "table": "t"},
        "location": "hdfs://nn1:8020/db/t",
    }
    (found,) = resolve_datasets(table, catalogs)
    assert (found.id, found.table) == (DatasetId("hdfs://ns", "/db/t"), DatasetId("hdfs://ns", "db.t"))
    placed = at_location(found, "hdfs://nn2:8020/db/t", catalogs)
    assert placed.id == found.id
    (again,) = resolve_datasets(
        {"kind": "rdd", "inputs": [{"kind": "files", "roots": ["hdfs://nn1:8020/x"]}]}, catalogs
    )
    assert again.id == DatasetId("hdfs://ns", "/x")
