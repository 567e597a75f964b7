"""What ``headwater_spark.explain`` answers of a frame's lineage: verdicts, gaps, and how they are shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from openlineage.client.event_v2 import InputDataset
from openlineage.client.facet_v2 import schema_dataset

from headwater_cli.boundary.explained import Column, Explanation, explained
from headwater_facets import facets
from headwater_spark.activation.frame_lineage import FrameLineage

RULES = '- {dataset: "* people", path: mail, category: user.contact.email}\n'
POLICIES = """
- {policy: no contact data in marts, category: user.contact, dataset: {namespace: lake, name: "mart_*"}}
- {policy: any namespace, category: user.contact, dataset: "*mart_*"}
- {policy: masked, category: user.contact, dataset: {namespace: lake, name: "*"}, allow: [identity]}
- {policy: where it is from, category: user.contact, dataset: {namespace: lake, name: people}}
"""
IDENTITY = [facets.PathTransformation("DIRECT", "IDENTITY")]


def explanation(here: Path, column: str = "m", *, rules: bool = True, gap: bool = False) -> Explanation:
    """Of a frame with a column that is made from the mail of people."""
    (here / "rules.yaml").write_text(RULES, "utf-8")
    (here / "policies.yaml").write_text(POLICIES, "utf-8")
    fields = [
        schema_dataset.SchemaDatasetFacetFields(name=each, type="string") for each in ("mail", "weight")
    ]
    people = InputDataset("lake", "people", facets={"schema": schema_dataset.SchemaDatasetFacet(fields)})
    source = facets.PathInput("lake", "people", ["weight" if gap else "mail"], IDENTITY)
    incomplete = [facets.IncompleteEntry("PYTHON_UDF", [["odd"]], "f() is not known")] if gap else []
    paths = facets.PathLineageDatasetFacet(
        [facets.PathField([column], [source])], complete=not gap, incomplete=incomplete
    )
    columns = [Column(column, "string"), *([Column("odd", "string")] if gap else [])]
    given = here / "rules.yaml" if rules else None
    return explained(FrameLineage(paths, [people], None), columns, given, here / "policies.yaml")


def test_each_policy_says_whether_the_frame_may_be_written_to_where_it_is(tmp_path: Path) -> None:
    found = explanation(tmp_path)

    assert found.lineage == [("m", "mail", "people", "identity")]
    assert found.personal == [("m", "mail", "user.contact.email", "people", "identity")]
    verdicts = {policy: verdict for policy, verdict, _ in found.verdicts}
    assert verdicts == {
        "no contact data in marts": "may not be written there",
        "any namespace": "may not be written there",
        "masked": "may be written there",
        "where it is from": "not known",
    }
    assert found.verdicts[0][2].startswith("m of this data frame holds mail of people: identity, by ")
    assert found.unknown == []


def test_what_is_not_known_is_reported_and_leaves_no_verdict(tmp_path: Path) -> None:
    found = explanation(tmp_path, gap=True)

    assert found.personal == []
    assert any("PYTHON_UDF" in line and "f() is not known" in line for line in found.unknown)
    assert {verdict for _, verdict, _ in found.verdicts} == {"not known"}
    assert "f() is not known" in str(found) and "f() is not known" in found._repr_html_()


def test_without_rules_nothing_is_allowed(tmp_path: Path) -> None:
    found = explanation(tmp_path, rules=False)

    assert {verdict for _, verdict, _ in found.verdicts} == {"not known"}
    assert "nothing is classified as personal: give rules" in found.unknown


@pytest.mark.parametrize("column", ["<script>x</script>", "a\x1b[31m"])
def test_names_are_shown_and_not_acted_on(column: str, tmp_path: Path) -> None:
    found = explanation(tmp_path, column)

    html = found._repr_html_()
    assert "<script" not in html and "\x1b" not in html and "\x1b" not in str(found)
    assert "<td>identity</td>" in html
