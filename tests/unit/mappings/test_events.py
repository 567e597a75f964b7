"""The events of mappings are OpenLineage's, with what each attribute is made of and what decides."""

from __future__ import annotations

from typing import Any

from headwater_mappings import Document, events_of, parse
from unit.mappings.test_parsing import AGREEMENT

TIME = "2026-01-01T00:00:00+00:00"
BOTH = """
WHEN POPULATING REPORT FROM SALES
  POPULATE REPORT.CITY WITH ADDRESS.CITY
  POPULATE REPORT.TOTAL WITH SUM(SALES.AMOUNT) x 2
  POPULATE REPORT.MOST WITH MAX(SALES.AMOUNT)
  POPULATE REPORT.LABEL WITH substr(ADDRESS.CITY, 1, 3) || SALES.KIND
  POPULATE REPORT.SOURCE WITH "SALES"
  SELECT ROWS WHERE SALES.KIND = "shop"
  NAVIGATE FROM SALES TO ADDRESS USING SALES.ID = ADDRESS.ID
"""


def events(*texts: str, namespace: str = "mappings") -> list[dict[str, Any]]:
    documents = [Document(f"{number}.txt", TIME, parse(text)) for number, text in enumerate(texts)]
    return list(events_of(documents, namespace))


def lineage(event: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = event["outputs"][0]["facets"]["headwater_pathLineage"]
    return found


def of(event: dict[str, Any], attribute: str) -> set[tuple[str, str, str | None]]:
    return {
        (source["path"][0], each["subtype"], each.get("retains"))
        for field in lineage(event)["fields"]
        if field["path"] == [attribute]
        for source in field["inputFields"]
        for each in source["transformations"]
    }


def test_a_choice_lists_its_values_and_what_decides() -> None:
    (event,) = events(AGREEMENT)
    assert event["job"]["name"] == "0.txt: AGREEMENT FROM CUSTOMER MASTER DATA"
    assert of(event, "ACCOUNT OPEN DT") == {
        ("CIF OPENING DATE", "IDENTITY", None),
        ("CIF OPENING DATE", "CONDITIONAL", None),
    }


def test_forms_and_what_decides_about_rows() -> None:
    (event,) = events(BOTH, namespace="business")
    assert of(event, "CITY") == {("CITY", "IDENTITY", None)}
    assert of(event, "TOTAL") == {("AMOUNT", "AGGREGATION", "STATISTIC")}
    assert of(event, "MOST") == {("AMOUNT", "AGGREGATION", None)}
    assert of(event, "LABEL") == {
        ("CITY", "TRANSFORMATION", "PART"),
        ("KIND", "TRANSFORMATION", "CONTAINS"),
    }
    assert lineage(event)["generated"] == [{"path": ["SOURCE"], "how": "constant of the mapping"}]
    assert {
        (each["path"][0], each["transformations"][0]["access"]) for each in lineage(event)["dataset"]
    } == {
        ("KIND", "FILTER"),
        ("ID", "JOIN"),
    }
    assert [each["name"] for each in event["inputs"]] == ["SALES", "ADDRESS"]
    assert {each["namespace"] for each in (*event["inputs"], *event["outputs"])} == {"business"}


def test_mappings_of_one_pair_are_jobs_of_their_own_with_all_attributes_of_the_entities() -> None:
    text = BOTH + "WHEN POPULATING REPORT FROM SALES POPULATE REPORT.DAY WITH SALES.DAY"
    first, second = events(text)
    assert [first["job"]["name"], second["job"]["name"]] == [
        "0.txt: REPORT FROM SALES",
        "0.txt: REPORT FROM SALES 2",
    ]
    assert "DAY" in {each["name"] for each in first["outputs"][0]["facets"]["schema"]["fields"]}


def test_of_what_is_no_text_only_the_attributes_are_known() -> None:
    text = "WHEN POPULATING AA FROM BB POPULATE AA.CC WITH BB.CC SELECT ROWS WHERE BB.DD > 5"
    (event,) = events(text)
    (population,) = event["job"]["facets"]["headwater_conditions"]["populations"]
    assert population["conditions"][0]["expression"] == {
        "opaque": True,
        "of": [{"row": 0, "path": ["DD"], "type": "string"}],
    }


def test_mappings_of_several_documents_are_jobs_of_their_own_and_share_entities() -> None:
    first, second = events(BOTH, "WHEN POPULATING REPORT FROM SALES POPULATE REPORT.DAY WITH SALES.DAY")
    assert [first["job"]["name"], second["job"]["name"]] == [
        "0.txt: REPORT FROM SALES",
        "1.txt: REPORT FROM SALES",
    ]
    assert first["outputs"][0]["facets"]["schema"] == second["outputs"][0]["facets"]["schema"]
    twice = [Document("a.txt", TIME, parse(BOTH))] * 2
    assert len({each["job"]["name"] for each in events_of(twice)}) == 2


def test_a_row_without_a_partner_has_nothing_of_it() -> None:
    text = BOTH.replace("  POPULATE REPORT.TOTAL WITH SUM(SALES.AMOUNT) x 2\n", "")
    (event,) = events(text.replace("  POPULATE REPORT.MOST WITH MAX(SALES.AMOUNT)\n", ""))
    both, alone = populations(event)
    assert [len(each["rows"]) for each in (both, alone)] == [2, 1]
    (city,) = (each for each in alone["values"] if each["path"] == ["CITY"])
    assert city["expression"] == {"type": "string"}  # no value


def test_where_rows_are_grouped_nothing_is_known_of_which_row_a_value_is() -> None:
    (event,) = events(BOTH)
    for population in populations(event):
        assert all(each["expression"]["others"] and "type" not in each for each in population["values"])


def test_of_an_entity_that_is_joined_with_itself_no_rows_are_known() -> None:
    text = (
        "WHEN POPULATING AA FROM BB POPULATE AA.CC WITH BB.CC NAVIGATE FROM BB TO BB USING BB.ID = BB.PARENT"
    )
    (event,) = events(text)
    assert "populations" not in event["job"]["facets"]["headwater_conditions"]


def populations(event: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = event["job"]["facets"]["headwater_conditions"]["populations"]
    return found
