"""The YAML rules that name personal attributes, and the errors for wrong ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from headwater_backend.domain.errors import RulesError
from headwater_backend.domain.model import DatasetKey
from headwater_backend.privacy.classification.rules import NO_RULES, FunctionRule, Rule
from headwater_backend.privacy.files import parse_rules, read_rules
from headwater_backend.privacy.forms import Form


def _rule(path: str = "email", dataset: str = '"ns *"') -> Rule:
    (rule,) = parse_rules(f"- dataset: {dataset}\n  path: '{path}'\n  category: user.contact.email\n").paths
    return rule


@pytest.mark.parametrize(
    ("pattern", "matching", "other"),
    [
        ("email", ["email"], ["user.email", "emails"]),
        ("*.email", ["user.email"], ["email", "a.b.email", "users[].email"]),
        ("**.email", ["email", "user.email", "users[].email"], ["user.xemail"]),
        ("user.**", ["user.a", "user.a[].b"], ["user", "users.a"]),
        ("mentions[].id", ["mentions[].id"], ["mentions.id"]),
        ("id_?", ["id_a"], ["id_", "id_ab"]),
        ("**", ["a", "a.b[].c{}"], []),
    ],
)
def test_a_path_pattern_matches_whole_paths(pattern: str, matching: list[str], other: list[str]) -> None:
    rule = _rule(pattern)
    dataset = DatasetKey("file", "x")
    assert all(rule.includes(dataset, text) for text in matching)
    assert not any(rule.includes(dataset, text) for text in other)


def test_a_dataset_pattern_is_on_both_names() -> None:
    assert _rule(dataset='"food* public.*"').covers(DatasetKey("food_delivery", "public.customers"))
    assert not _rule(dataset='"food* public.*"').covers(DatasetKey("food_delivery", "private.customers"))


def test_a_dataset_mapping_is_on_each_name() -> None:
    rule = _rule(dataset='{namespace: "s3://*", name: "*/tweets"}')
    assert rule.covers(DatasetKey("s3://bucket", "raw/tweets"))
    assert not rule.covers(DatasetKey("file", "raw/tweets"))


TABLES = [
    "jdbc:derby:house",
    "postgres://db:5432",
    "hive://store:9083",
    "arn:aws:glue:eu:1",
    "spark",
    "https://c",
]
FILES = ["file", "s3://bucket", "hdfs://nn:8020", "abfss://c@a", "kafka://broker:9092"]


@pytest.mark.parametrize("namespace", TABLES)
def test_a_tables_name_fits_in_any_letter_case(namespace: str) -> None:
    assert _rule(dataset="'* app.People'").covers(DatasetKey(namespace, "APP.PEOPLE"))
    assert _rule(dataset="{namespace: '*', name: '*.PEOPLE'}").covers(DatasetKey(namespace, "app.people"))
    assert not _rule(dataset="'* app.People'").covers(DatasetKey(namespace, "APP.PEOPLE_2"))


@pytest.mark.parametrize("namespace", FILES)
def test_names_of_files_that_differ_in_letter_case_are_two(namespace: str) -> None:
    assert _rule(dataset="'* data/People'").covers(DatasetKey(namespace, "data/People"))
    assert not _rule(dataset="'* data/People'").covers(DatasetKey(namespace, "data/people"))


@pytest.mark.parametrize("namespace", [*TABLES, *FILES])
def test_a_rule_is_about_a_column_in_any_letter_case(namespace: str) -> None:
    assert _rule("**.email").includes(DatasetKey(namespace, "x"), "Person.EMail")
    assert not _rule("**.email").includes(DatasetKey(namespace, "x"), "Person.EMails")


def test_a_rule_may_be_about_a_function() -> None:
    rules = parse_rules(
        "- {dataset: a, path: b, category: user}\n- {function: tokenize, form: pseudonymised}\n"
    )
    assert rules.functions == (FunctionRule("tokenize", Form.PSEUDONYMISED, 2),)
    assert [rule.category for rule in rules.paths] == ["user"]


def test_an_empty_file_has_no_rules() -> None:
    assert parse_rules("") == NO_RULES


@pytest.mark.parametrize(
    ("text", "line", "detail"),
    [
        ("- dataset: a\n  path: b\n  category: user.emial\n", 3, "not a data category"),
        ("- dataset: a\n  path: b\n  category: system.operations\n", 3, "not personal"),
        ("- dataset: a\n  path: b\n", 1, "'category' is missing"),
        ("- dataset: a\n  path: b\n  categories: user\n", 3, "unknown field 'categories'"),
        ("dataset: a\n", 1, "list of rules"),
        ("- just text\n", 1, "a mapping"),
        ("- dataset: [a]\n  path: b\n  category: user\n", 1, "a mapping"),
        ("- dataset: {namespace: a}\n  path: b\n  category: user\n", 1, "'name' is missing"),
        ("- dataset: a\n  path: [x]\n  category: user\n", 2, "a text"),
        ("- dataset: 'a\n", 2, "not YAML"),
        ("- function: f\n  form: hidden\n", 2, "'hidden' is none of identity"),
        ("- function: f\n", 1, "'form' is missing"),
    ],
)
def test_a_wrong_rule_is_an_error_with_file_and_line(text: str, line: int, detail: str) -> None:
    with pytest.raises(RulesError) as raised:
        parse_rules(text, "privacy.yaml")
    assert raised.value.line == line
    assert str(raised.value).startswith(f"privacy.yaml, line {line}: ")
    assert detail in raised.value.detail


def test_a_misspelt_category_comes_with_the_nearest() -> None:
    with pytest.raises(RulesError) as raised:
        parse_rules("- dataset: a\n  path: b\n  category: user.contact.emial\n")
    assert "user.contact.email" in (raised.value.hint or "")


def test_a_missing_file_is_an_error_too(tmp_path: Path) -> None:
    with pytest.raises(RulesError):
        read_rules(tmp_path / "none.yaml")
