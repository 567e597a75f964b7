"""The file of what an organisation states."""

from __future__ import annotations

import pytest

from headwater_backend.domain.errors import RulesError
from headwater_backend.domain.model import DatasetKey
from headwater_backend.privacy.organisation.organisation_file import parse_organisation
from headwater_backend.privacy.organisation.statements import NO_ORGANISATION, Party


def test_everything_may_be_absent() -> None:
    assert parse_organisation("") == NO_ORGANISATION
    assert parse_organisation("controller: {name: A}").controller == Party("A")


def test_a_statement_covers_datasets_or_the_outputs_of_jobs() -> None:
    found = parse_organisation(
        """
processing:
  - activity: one
    outputs: {namespace: "s3://*", name: orders}
    purpose: essential.service
    legal_basis: contract
    subjects: [customer, employee]
  - activity: other
    jobs: "etl nightly*"
"""
    )
    one, other = found.processing
    assert one.outputs and one.outputs.covers(DatasetKey("s3://lake", "orders"))
    assert one.subjects == ("customer", "employee")
    assert other.jobs and not other.jobs.covers(DatasetKey("etl", "daily"))


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("- a list", 1, "mapping"),
        ("controller: {name: A}\ncontroler: {name: B}", 2, "unknown field 'controler'"),
        ("controller: {address: A}", 1, "'name' is missing"),
        ("processing:\n  - activity: a", 2, "either outputs or jobs"),
        ("processing:\n  - activity: a\n    outputs: x\n    jobs: y", 2, "either outputs or jobs"),
        ("processing:\n  - activity: a\n    outputs: x\n    purpose: sale", 4, "no data use"),
        ("processing:\n  - activity: a\n    outputs: x\n    legal_basis: whim", 4, "no legal basis"),
        (
            "processing:\n  - activity: a\n    outputs: x\n    subjects:\n      - custommer",
            5,
            "no data subject",
        ),
        ("recipients:\n  - name: a", 2, "'datasets' is missing"),
        ("locations: [{datasets: a}]", 1, "'country' is missing"),
        ("locations:\n  - {datasets: a, contry: DE}", 2, "unknown field 'contry'"),
        ("locations:\n  - datasets: a\n    country: EU", 3, "'EU' is no country of ISO 3166-1"),
        ("measures: all", 1, "measures is a list"),
    ],
)
def test_a_mistake_is_named_with_its_line(text: str, line: int, words: str) -> None:
    with pytest.raises(RulesError) as raised:
        parse_organisation(text, "org.yaml")
    assert raised.value.line == line
    assert words in raised.value.message
    assert raised.value.message.startswith(f"org.yaml, line {line}:")


def test_a_misspelt_key_comes_with_the_nearest() -> None:
    with pytest.raises(RulesError) as raised:
        parse_organisation("processing:\n  - activity: a\n    outputs: x\n    purpose: essential.servise")
    assert "essential.service" in (raised.value.hint or "")


@pytest.mark.parametrize(
    ("country", "hint"),
    [("UK", "'GB'"), ("el", "'GR'"), ("de", "'DE'"), ("DEU", "'DE'"), ("XX", "such as DE")],
)
def test_a_wrong_country_comes_with_the_nearest(country: str, hint: str) -> None:
    with pytest.raises(RulesError) as raised:
        parse_organisation(f"locations: [{{datasets: a, country: {country}}}]")
    assert hint in (raised.value.hint or "")


def test_norway_is_a_country() -> None:
    (location,) = parse_organisation("locations: [{datasets: '* eu-*', country: NO}]").locations
    assert location.country == "NO"
    assert location.datasets.covers(DatasetKey("ns", "eu-1"))
