"""Namespace rules: what each kind makes of a namespace, their order, and what they do not agree about."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from headwater_backend.domain.errors import BadQuestion
from headwater_backend.names.decisions import rule_content, rule_of
from headwater_backend.names.names_file import NamesFileError, read_names
from headwater_backend.names.namespaces import NamespaceRule, Namespaces, RuleKind
from headwater_backend.names.proposals import likeness

EXACT, HOSTS, PATTERN, GROUP = RuleKind


def rule(kind: RuleKind, name: str = "a rule", **parts: object) -> NamespaceRule:
    return NamespaceRule(name, kind, **parts)  # type: ignore[arg-type] # the parts of that kind


BROKERS = rule(HOSTS, to="kafka-prod", hosts=("B1.example", "b2.example:9093"))
PORT = rule(PATTERN, regex="^(postgres://[^:/]+)$", to="$1:5432")
CLUSTER = rule(
    GROUP, regex=r"(?<cluster>[a-z-]+)-\d+\.example:\d+", matching_group="cluster", schema="cassandra"
)


@pytest.mark.parametrize(
    ("given", "namespace", "expected"),
    [
        (rule(EXACT, to="s3://b", namespaces=("s3a://b",)), "s3a://b", "s3://b"),
        (rule(EXACT, to="s3://b", namespaces=("s3a://b",)), "s3a://bb", "s3a://bb"),
        (BROKERS, "kafka://b1.EXAMPLE:9092", "kafka://kafka-prod:9092"),
        (BROKERS, "kafka://b2.example:9093", "kafka://kafka-prod"),
        (BROKERS, "kafka://b2.example:9092", "kafka://b2.example:9092"),
        (BROKERS, "kafka://bb1.example:9092", "kafka://bb1.example:9092"),
        (BROKERS, "b1.example", "kafka-prod"),
        (
            rule(HOSTS, to="kafka", hosts=("b1", "b2")),
            "kafka://b2:9092,b1:9092,b3:9092",
            "kafka://kafka:9092,b3:9092",
        ),
        (rule(HOSTS, to="ns", hosts=("nn1:8020", "nn2:8020")), "hdfs://nn1:8020", "hdfs://ns"),
        (rule(HOSTS, to="here", hosts=("[::1]",)), "postgres://[::1]:5432/db", "postgres://here:5432/db"),
        (PORT, "postgres://h", "postgres://h:5432"),
        (PORT, "postgres://h:5433", "postgres://h:5433"),
        (rule(PATTERN, regex="^s3[an]://", to="s3://"), "s3n://b", "s3://b"),
        (rule(PATTERN, regex="(?<a>x)", to="[${a}]"), "x-x", "[x]-[x]"),
        (CLUSTER, "cassandra://prod-7.example:9042/x", "cassandra://prod/x"),
        (CLUSTER, "kafka://prod-7.example:9042", "kafka://prod-7.example:9042"),
    ],
)
def test_a_rule_gives_another_namespace_or_leaves_it(
    given: NamespaceRule, namespace: str, expected: str
) -> None:
    assert given.applied(namespace) == expected
    assert rule_of(given.name, json.loads(rule_content(given))) == given


@pytest.mark.parametrize(
    ("kind", "parts", "words"),
    [
        (EXACT, {"to": "x"}, "exact needs namespaces"),
        (EXACT, {"to": "x", "namespaces": ("x",)}, "stand for itself"),
        (EXACT, {"to": "x", "namespaces": ("y",), "regex": "y"}, "takes no regex"),
        (HOSTS, {"hosts": ("h",)}, "needs to"),
        (HOSTS, {"to": "x", "hosts": ("",)}, "needs hosts"),
        (PATTERN, {"to": "x", "regex": "("}, "not valid in RE2"),
        (PATTERN, {"to": "x", "regex": r"(a)\1"}, "not valid in RE2"),
        (PATTERN, {"to": "x", "regex": "(?=a)b"}, "not valid in RE2"),
        (PATTERN, {"to": "x", "regex": "a*"}, "matches an empty text"),
        (PATTERN, {"to": "$2", "regex": "(a)"}, "no group '2'"),
        (GROUP, {"regex": "(?<a>x)", "matching_group": "b"}, "no group 'b'"),
        (PATTERN, {"to": "x", "regex": "a" * 2_000}, "more than 1000 characters"),
        (PATTERN, {"to": "x", "regex": "((a{1,100}){1,100}){1,100}"}, "not valid in RE2"),
    ],
)
def test_a_rule_whose_parts_do_not_fit_is_refused(kind: RuleKind, parts: dict[str, Any], words: str) -> None:
    with pytest.raises(BadQuestion, match=words):
        rule(kind, **parts)


def test_an_expression_takes_time_in_proportion_to_the_text() -> None:
    dear = rule(PATTERN, regex="^(a+)+$|(x+x+)+y", to="b")
    start = time.process_time()
    for text in ("a" * 4_000 + "!", "x" * 4_000):
        assert dear.applied(text) == text
    assert time.process_time() - start < 1


def test_the_kind_and_the_name_decide_which_rule_applies_and_rules_are_followed() -> None:
    pattern = rule(PATTERN, "a", regex="^one$", to="by pattern")
    exact = rule(EXACT, "z", namespaces=("one",), to="two")
    then = rule(HOSTS, "y", hosts=("two",), to="three")
    rules = Namespaces([pattern, then, exact])
    assert rules.canonical("one") == "three"
    assert [(each.namespace, each.rules) for each in rules.disputes(["one", "two", "other"])] == [
        ("one", ("z", "a"))
    ]


def test_a_circle_results_in_its_least_namespace_and_endless_rules_change_nothing() -> None:
    circle = Namespaces(
        [rule(EXACT, "1", namespaces=("b",), to="c"), rule(EXACT, "2", namespaces=("c",), to="b")]
    )
    assert [circle.canonical(each) for each in ("b", "c", "a")] == ["b", "b", "a"]
    assert {each.problem for each in circle.disputes(["b", "a"])} == {"form a circle"}
    endless = Namespaces([rule(PATTERN, regex="^a", to="aa")])
    assert endless.canonical("a") == "a"
    assert [each.problem for each in endless.disputes(["a"])] == ["find no end"]


FILE = """
rules:
  - {name: loopback, kind: exact, namespaces: ["postgres://127.0.0.1:5432"], to: "postgres://localhost:5432"}
  - {name: cluster, kind: patternGroup, regex: "(?<c>[a-z]+)-[0-9]+", matchingGroup: c}
aliases:
  - {name: "s3a://lake raw/people", dataset: {namespace: "s3://lake", name: raw/people}}
"""


def test_a_file_holds_rules_and_aliases(tmp_path: Path) -> None:
    file = tmp_path / "names.yaml"
    file.write_text(FILE)
    wanted = read_names(file)
    assert [each.kind for each in wanted.rules] == [EXACT, GROUP]
    assert wanted.aliases[0].name == ("s3a://lake", "raw/people")
    assert wanted.aliases[0].dataset == ("s3://lake", "raw/people")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("rules: 1", "rules: a list"),
        ("- x", "the file: a mapping"),
        ("rule: []", "unknown field 'rule'"),
        ("rules: [{name: a, kind: glob}]", "rules, entry 1: the kind is one of exact"),
        ("rules: [{name: a, kind: exact, to: b, namespaces: c}]", "entry 1, namespaces: a list"),
        ("rules: [{name: a, kind: exact, to: 1, namespaces: [c]}]", "entry 1, to: a text"),
        ("rules: [{kind: exact, to: b, namespaces: [c]}]", "a name is needed"),
        ("aliases: [{name: 'a b', dataset: b}]", "'b' is not a full name"),
        ("rules: [", "cannot be read"),
    ],
)
def test_an_error_in_a_file_names_the_place(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "names.yaml"
    file.write_text(text)
    with pytest.raises(NamesFileError, match=words):
        read_names(file)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("postgres://localhost:5432", "postgres://127.0.0.1:5432"),
        ("postgres://localhost", "postgresql://[::1]:5432"),
        ("s3a://b", "s3://b"),
        ("file", "file://host"),
        ("kafka://b1:9092,b2:9092", "kafka://B2,b1:9092"),
        ("hdfs://nn1:8020/", "hdfs://nn1"),
    ],
)
def test_namespaces_that_may_be_one_look_alike(one: str, other: str) -> None:
    assert likeness(one) == likeness(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("postgres://localhost:5432", "postgres://localhost:5433"), ("s3://a", "s3://b"), ("gs://b", "s3://b")],
)
def test_other_namespaces_do_not(one: str, other: str) -> None:
    assert likeness(one) != likeness(other)
