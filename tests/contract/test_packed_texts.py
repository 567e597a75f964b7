"""What is packed in a stored text is followed by its names, from job to job."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from headwater_backend.domain.model import Direction
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.exposure import Ruling, exposed
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.questions.resolving import labels
from headwater_backend.questions.traversal import ALL_TYPES, Bounds, explore
from headwater_backend.questions.witness import witnesses
from kit.openlineage import NAMESPACE, dataset, event, facet, node

TAGS = facet(
    tags=[
        {"key": "data_category", "value": f"user.{category}", "source": "CONFIG", "field": name}
        for name, category in (("mail", "contact.email"), ("name", "name"))
    ]
)
PEOPLE = dataset("people", "mail", "name", tags=TAGS)
Way = tuple[Sequence[str], str, Sequence[str], dict[str, Any]]
PACKS: dict[str, Any] = {"subtype": "TRANSFORMATION", "manipulation": ["SERIALIZE"], "retains": "CONTAINS"}
TAKES: dict[str, Any] = {"subtype": "TRANSFORMATION", "manipulation": ["PARSE"], "retains": "CONTAINS"}
COPIES: dict[str, Any] = {"subtype": "IDENTITY", "manipulation": ["COPY"]}


def makes(name: str, *ways: Way, inputs: Sequence[Any] = ()) -> dict[str, Any]:
    """A job that writes a dataset, by (output path, dataset, input path, how)."""
    fields: dict[tuple[str, ...], list[Any]] = {}
    for target, source, path, how in ways:
        kind = {"type": "DIRECT", "masking": False, **how}
        entry = {"namespace": NAMESPACE, "name": source, "path": list(path), "transformations": [kind]}
        fields.setdefault(tuple(target), []).append(entry)
    lineage = facet(
        fields=[{"path": list(path), "inputFields": entries} for path, entries in fields.items()],
        complete=True,
        incomplete=[],
    )
    columns = sorted({path[0] for path in fields})
    output = dataset(name, *columns, headwater_pathLineage=lineage)
    sources = inputs or [dataset(source) for source in sorted({way[1] for way in ways})]
    return event(job=f"makes {name}", run=name, inputs=sources, outputs=[output])


STORED = makes(
    "stored",
    (["body"], "people", ["mail"], {**PACKS, "packed": ["user", "mail"]}),
    (["body"], "people", ["name"], {**PACKS, "packed": ["user", "name"]}),
    inputs=[PEOPLE],
)


def taken(source: str, *names: str, path: str = "body") -> dict[str, Any]:
    how = {**TAKES, "unpacked": list(names)} if names else TAKES
    return makes("taken", (["out"], source, [path], how))


def stored(store: LineageStore, *events: dict[str, Any]) -> LineageStore:
    assert all(each.stored for each in ingest(store, events))
    return store


def origins(store: LineageStore) -> set[str]:
    """The attributes from which ``taken`` comes, searched backward."""
    found = explore(store, [node("taken", "out")], Direction.BACKWARD, ALL_TYPES, Bounds())
    return {".".join(key.path) for key in found.distance if key.dataset.name == "people"}


def exposures(store: LineageStore) -> set[tuple[str, str]]:
    """The attributes that arrive in ``taken``, searched forward."""
    answer = exposed(store, Scope(), Ruling())
    assert answer.complete
    return {
        (each.attribute.node.path[0], output.form.name)
        for each in answer.attributes
        for output in each.outputs
        if output.node.dataset.name == "taken"
    }


def test_a_member_of_a_stored_text_is_made_of_what_was_packed_under_its_name(store: LineageStore) -> None:
    stored(store, STORED, taken("stored", "user", "mail"))
    assert origins(store) == {"mail"}
    assert exposures(store) == {("mail", "TRANSFORMED")}


def test_a_part_of_the_text_is_made_of_all_that_is_packed_in_it(store: LineageStore) -> None:
    stored(store, STORED, taken("stored", "user"))
    assert origins(store) == {"mail", "name"}
    assert exposures(store) == {("mail", "TRANSFORMED"), ("name", "TRANSFORMED")}


def test_whoever_says_no_names_takes_all_of_the_text(store: LineageStore) -> None:
    stored(store, STORED, taken("stored"))
    assert origins(store) == {"mail", "name"}
    assert {name for name, _ in exposures(store)} == {"mail", "name"}


def test_what_is_packed_without_names_may_be_under_any(store: LineageStore) -> None:
    unknown = makes("stored", (["body"], "people", ["mail"], PACKS), inputs=[PEOPLE])
    stored(store, unknown, taken("stored", "user", "name"))
    assert origins(store) == {"mail"}
    assert exposures(store) == {("mail", "TRANSFORMED")}


def test_a_copied_text_holds_what_it_held(store: LineageStore) -> None:
    copied = makes("copied", (["text"], "stored", ["body"], COPIES))
    again = makes("again", (["text"], "copied", ["text"], COPIES))
    stored(store, STORED, copied, again, taken("again", "user", "name", path="text"))
    assert origins(store) == {"name"}
    assert exposures(store) == {("name", "TRANSFORMED")}


def test_a_changed_text_may_hold_anything_under_any_name(store: LineageStore) -> None:
    changed = makes("changed", (["text"], "stored", ["body"], {**PACKS, "manipulation": ["COMPUTE"]}))
    stored(store, STORED, changed, taken("changed", "user", "name", path="text"))
    assert origins(store) == {"mail", "name"}
    assert {name for name, _ in exposures(store)} == {"mail", "name"}


def test_a_text_that_was_packed_in_a_text_is_taken_out_with_all_in_it(store: LineageStore) -> None:
    outer = makes("outer", (["message"], "stored", ["body"], {**PACKS, "packed": ["payload"]}))
    stored(store, STORED, outer, taken("outer", "payload", "user", "name", path="message"))
    assert origins(store) >= {"name"}
    assert {name for name, _ in exposures(store)} >= {"name"}


def test_the_route_leads_through_the_member(store: LineageStore) -> None:
    stored(store, STORED, taken("stored", "user", "mail"))
    (route,) = witnesses(store, node("people", "mail"), node("taken", "out")).witnesses
    inside = node("stored", "body", "_packed", "user", "mail")
    assert [(edge.source, edge.target) for edge in route.steps] == [
        (node("people", "mail"), inside),
        (inside, node("taken", "out")),
    ]
    assert labels(store, [inside])[inside] == "body{packed}.user.mail"
    assert not witnesses(store, node("people", "name"), node("taken", "out")).witnesses


def test_who_holds_a_member_is_asked_at_the_text(store: LineageStore) -> None:
    stored(store, STORED)
    answer = exposed(store, Scope(at=node("stored", "body")), Ruling())
    assert {each.attribute.node.path[0] for each in answer.attributes} == {"mail", "name"}


def packs(*parts: tuple[str, Sequence[str]]) -> dict[str, Any]:
    """A job that packs attributes of ``people``, each under those names."""
    ways: list[Way] = [
        (["body"], "people", [name], {**PACKS, "packed": list(names)}) for name, names in parts
    ]
    return makes("stored", *ways, inputs=[PEOPLE])


CSV = packs(("mail", ["_csv ,", "0"]), ("name", ["_csv ,", "1"]))
XML = packs(("mail", ["_xml", "mail"]), ("name", ["_xml", "name"]))
PLACES = packs(("mail", ["_text %s,%d", "0"]), ("name", ["_text %s,%d", "1"]))
BOTH = {"mail", "name"}


@pytest.mark.parametrize(
    ("packed", "names", "found"),
    [
        (CSV, ["_csv ,", "0"], {"mail"}),
        (CSV, ["_csv ,", "1"], {"name"}),
        (CSV, ["_csv ,"], BOTH),
        (CSV, ["_csv ;", "0"], BOTH),
        (CSV, ["mail"], BOTH),
        (CSV, ["_xml", "mail"], BOTH),
        (CSV, ["_take 0..0 ,"], BOTH),
        (XML, ["_xml", "mail"], {"mail"}),
        (XML, ["_csv ,", "1"], BOTH),
        (XML, ["_take 0..0 ,"], BOTH),
        (PLACES, ["_take 0..0 ,"], {"mail"}),
        (PLACES, ["_take 1..1 ,"], BOTH),
        (PLACES, ["_take -1..-1 ,"], {"name"}),
        (PLACES, ["_take 0..0 -"], BOTH),
        (PLACES, ["_csv ,", "1"], BOTH),
        (PLACES, ["name"], BOTH),
        (STORED, ["_take 0..0 ,"], BOTH),
        (STORED, ["_csv ,", "0"], BOTH),
        (STORED, ["_xml", "user"], BOTH),
    ],
)
def test_a_taker_gets_what_may_be_there_by_the_notation_of_the_packer(
    store: LineageStore, packed: dict[str, Any], names: list[str], found: set[str]
) -> None:
    stored(store, packed, taken("stored", *names))
    assert origins(store) == found
    assert {name for name, _ in exposures(store)} == found


def test_a_copied_text_is_taken_apart_by_its_notation(store: LineageStore) -> None:
    copied = makes("copied", (["text"], "stored", ["body"], COPIES))
    stored(store, PLACES, copied, taken("copied", "_take -1..-1 ,", path="text"))
    assert origins(store) == {"name"}
    assert {name for name, _ in exposures(store)} == {"name"}


def test_a_text_in_a_member_is_taken_apart_by_its_notation(store: LineageStore) -> None:
    outer = makes("outer", (["message"], "stored", ["body"], {**PACKS, "packed": ["payload"]}))
    stored(store, PLACES, outer, taken("outer", "payload", "_take -1..-1 ,", path="message"))
    assert origins(store) >= {"name"}
    assert {name for name, _ in exposures(store)} >= {"name"}


def test_texts_of_two_packers_each_give_what_may_be_there(store: LineageStore) -> None:
    other = packs(("mail", ["_csv ,", "0"]), ("name", ["_text %s,%d", "1"]))
    stored(store, other, taken("stored", "_csv ,", "1"))
    assert origins(store) == {"name"}
    assert {name for name, _ in exposures(store)} == {"name"}


def test_the_route_leads_through_both_notations(store: LineageStore) -> None:
    stored(store, PLACES, taken("stored", "_take -1..-1 ,"))
    (route,) = witnesses(store, node("people", "name"), node("taken", "out")).witnesses
    assert route.steps[0].source == node("people", "name")
    assert route.steps[-1].target == node("taken", "out")
    assert not witnesses(store, node("people", "mail"), node("taken", "out")).witnesses
