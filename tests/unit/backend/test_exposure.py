"""Who holds a personal attribute, in which form, and by which jobs."""

from __future__ import annotations

from typing import Any

import pytest

from headwater_backend.domain.errors import UnknownCategory, UnknownPath
from headwater_backend.domain.model import DatasetKey, Direction, Incomplete, NodeKey
from headwater_backend.privacy.classification.personal import personal, tag_categories
from headwater_backend.privacy.exposure import ExposureReport, exposed, exposure
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.privacy.files import parse_rules
from headwater_backend.questions.resolving import labels
from headwater_backend.questions.traversal import ALL_TYPES, Bounds, explore
from kit.memory_store import MemoryStore, graph, node

EMAIL = ("data_category", "user.contact.email")


def _store(edges: str, *tagged: str, **more: Any) -> MemoryStore:
    return MemoryStore(graph(edges), tags=[(node(text), *EMAIL) for text in tagged], **more)


def _forms(report: ExposureReport) -> dict[str, str]:
    """Each output of the only attribute with its forms, strongest first."""
    (only,) = report.attributes
    return {
        f"{out.node.dataset.name}:{'.'.join(out.node.path)}": " ".join(
            arrival.kind or arrival.form.name for arrival in out.arrivals
        )
        for out in only.outputs
    }


def test_each_form_is_distinguished() -> None:
    store = _store(
        """
        t:mail -IDENTITY-> o:mail
        t:mail -COMPUTE-> o:domain
        t:mail -SUM-> o:total
        t:mail -HASH-> o:token
        t:mail -FILTER-> p
        """,
        "t:mail",
    )
    assert _forms(exposure(store, influenced=True)) == {
        "o:mail": "IDENTITY",
        "o:domain": "TRANSFORMED",
        "o:total": "AGGREGATED",
        "o:token": "PSEUDONYMISED",
        "p:": "FILTER",
    }


def test_a_route_has_the_weakest_form_on_it() -> None:
    store = _store("t:mail -HASH-> a:x\na:x -COMPUTE-> b:x\nb:x -IDENTITY-> c:x", "t:mail")
    assert _forms(exposure(store)) == dict.fromkeys(["a:x", "b:x", "c:x"], "PSEUDONYMISED")


AMOUNT = (node("t:amount"), "data_category", "user.financial")
PERSON = (node("t:person"), "data_category", "user.unique_id")


def _aggregate(*edges: str, category: str | None = None) -> str:
    """The form in which an amount arrives at ``o:total``, with these edges beside its sum."""
    store = MemoryStore(graph("\n".join(["t:amount -SUM-> o:total", *edges])), tags=[AMOUNT, PERSON])
    report = exposure(store, node("t:amount"), category)
    (total,) = (out for out in report.attributes[0].outputs if out.node == node("o:total"))
    return total.form.name


def test_an_aggregate_by_person_is_of_one_person() -> None:
    assert _aggregate() == "AGGREGATED"
    assert _aggregate("t:day -GROUP_BY-> o") == "AGGREGATED"
    assert _aggregate("t:person -GROUP_BY-> o") == "TRANSFORMED"
    assert _aggregate("t:day -GROUP_BY-> o", "t:person -GROUP_BY-> o") == "TRANSFORMED"
    assert _aggregate("t:person -GROUP_BY-> o", category="user.financial") == "TRANSFORMED"


def test_a_pseudonym_groups_by_person_as_well_and_an_aggregate_does_not() -> None:
    by_token = ["t:person -HASH-> p:token", "p:token -GROUP_BY-> o"]
    assert _aggregate(*by_token) == "TRANSFORMED"
    assert _aggregate("t:person -SUM-> p:number", "p:number -GROUP_BY-> o") == "AGGREGATED"


def test_what_arrived_at_an_output_is_grouped_by_who_only_influences_it() -> None:
    edges = "t:amount -SUM-> o:total\nu:id -IDENTITY-> m:id\nm:id -GROUP_BY-> o"
    tags = [AMOUNT, (node("u:id"), "data_category", "user.unique_id")]
    report = exposed(MemoryStore(graph(edges), tags=tags), Scope(at=node("o:total")))
    assert [out.form.name for out in report.attributes[0].outputs] == ["TRANSFORMED"]


def test_another_jobs_groups_do_not_count() -> None:
    assert _aggregate("t:person -GROUP_BY-> o @other") == "AGGREGATED"


def test_what_is_grouped_by_person_stays_so_downstream_and_in_the_witness() -> None:
    edges = "t:amount -SUM-> o:total @a\nt:person -GROUP_BY-> o @a\no:total -IDENTITY-> p:x @b"
    report = exposure(MemoryStore(graph(edges), tags=[AMOUNT, PERSON]), node("t:amount"))
    forms = {out.node.dataset.name: (out.form.name, len(out.witness)) for out in report.attributes[0].outputs}
    assert forms == {"o": ("TRANSFORMED", 1), "p": ("TRANSFORMED", 2)}


def test_an_influence_keeps_the_kind_it_began_with() -> None:
    store = _store("t:mail -JOIN-> a\na:x -SUM-> b:x\nb:x -FILTER-> c", "t:mail")
    assert _forms(exposure(store, influenced=True)) == {"a:": "JOIN", "b:x": "JOIN", "c:": "JOIN"}


def test_all_forms_are_listed_and_the_witness_is_of_the_strongest() -> None:
    store = _store(
        """
        t:mail -HASH-> o:x @short
        t:mail -IDENTITY-> m:x @first
        m:x -IDENTITY-> o:x @second
        t:mail -FILTER-> o:x @filter
        """,
        "t:mail",
    )
    report = exposure(store, influenced=True)
    assert _forms(report)["o:x"] == "IDENTITY PSEUDONYMISED FILTER"
    output = next(out for out in report.attributes[0].outputs if out.node == node("o:x"))
    assert [edge.job.name for edge in output.witness] == ["first", "second"]
    assert output.distance == 1


def test_a_value_that_is_only_nested_or_picked_survives_whole() -> None:
    assert _forms(exposure(_store("t:mail -NEST-> o:mails", "t:mail"))) == {"o:mails": "IDENTITY"}


def test_the_attribute_itself_is_no_output_even_in_a_cycle() -> None:
    assert _forms(exposure(_store("t:m -IDENTITY-> o:m\no:m -IDENTITY-> t:m", "t:m"))) == {"o:m": "IDENTITY"}


def test_two_attributes_are_distinguished_and_share_the_store_calls() -> None:
    store = _store("t:a -IDENTITY-> o:a\nt:b -HASH-> o:b\no:a -SUM-> p:a", "t:a", "t:b")
    report = exposure(store)
    assert [len(each.outputs) for each in report.attributes] == [2, 1]
    # other names of the attributes, a search of three levels, and what groups the sum
    assert store.calls.count("neighbours") == 5


def test_a_node_restricts_to_what_is_at_or_under_it() -> None:
    store = _store("t:user.mail -IDENTITY-> o:mail\nt:phone -IDENTITY-> o:phone", "t:user.mail", "t:phone")
    assert [each.attribute.node for each in exposure(store, node("t:user")).attributes] == [
        node("t:user.mail")
    ]
    assert len(exposure(store, node("t")).attributes) == 2


def test_a_path_that_nobody_named_is_answered_as_asked() -> None:
    store = _store("t:user.mail -IDENTITY-> o:mail", "t:user")
    (only,) = exposure(store, node("t:user.mail")).attributes
    assert only.attribute.categories == ("user.contact.email",)
    assert [out.node for out in only.outputs] == [node("o:mail")]


def test_a_category_includes_its_kinds() -> None:
    store = _store("t:mail -IDENTITY-> o:mail", "t:mail")
    assert len(exposure(store, category="user.contact").attributes) == 1
    assert exposure(store, category="user.name").attributes == ()


def test_an_unknown_category_is_an_error_with_the_nearest() -> None:
    with pytest.raises(UnknownCategory) as raised:
        exposure(_store("t:mail -IDENTITY-> o:mail"), category="user.contact.emial")
    assert "user.contact.email" in (raised.value.hint or "")


def test_an_unknown_path_is_an_error() -> None:
    with pytest.raises(UnknownPath):
        exposure(_store("t:mail -IDENTITY-> o:mail"), node("t:mial"))


def test_what_the_depth_cuts_off_is_reported_for_the_attribute_it_concerns() -> None:
    store = _store("t:a -IDENTITY-> m:a\nm:a -IDENTITY-> o:a\nt:b -IDENTITY-> o:b", "t:a", "t:b")
    report = exposure(store, bounds=Bounds(depth=1))
    assert [each.complete for each in report.attributes] == [False, True]
    assert report.incomplete == (Incomplete("DEPTH", DatasetKey("ns", "m"), ("a",)),)


def test_what_the_store_knows_to_be_missing_is_reported() -> None:
    gap = Incomplete("RDD", DatasetKey("ns", "o"))
    report = exposure(_store("t:mail -IDENTITY-> o:mail", "t:mail", incomplete=[gap]))
    assert report.incomplete == (gap,) and not report.complete


def test_a_broad_rule_asks_the_store_once_for_all_that_it_covers() -> None:
    store = MemoryStore(graph("\n".join(f"in{n}:mail -IDENTITY-> out{n}:mail" for n in range(20))))
    rules = parse_rules('- {dataset: "**", path: mail, category: user.contact.email}')
    assert len(personal(store, rules.paths).attributes) == 40
    of_one_match = ["get_datasets"]  # whether it has data: one dataset of the rule is enough
    assert store.calls == ["tagged_fields", "dataset_keys", "get_datasets", "paths", *of_one_match]


def test_a_rule_on_all_paths_needs_no_schemas_and_misses_no_name() -> None:
    odd = NodeKey(DatasetKey("ns", "in"), ("two\nlines",))
    store = MemoryStore([], paths=[odd, node("in:mail")])
    rules = parse_rules('- {dataset: "**", path: "**", category: user}')
    assert [each.node for each in personal(store, rules.paths).attributes] == [node("in:mail"), odd]


def test_labels_and_refined_paths_cost_one_store_call_a_level() -> None:
    edges = "\n".join(f"in{n}:m.key -IDENTITY-> out:m{n}" for n in range(20))
    finer = [node(f"in{n}:m.key.x") for n in range(20)] + [node(f"out:m{n}.x") for n in range(20)]
    store = MemoryStore(graph(edges), paths=finer)
    found = explore(store, [node(f"out:m{n}.x") for n in range(20)], Direction.BACKWARD, ALL_TYPES, Bounds())
    assert {far for fans in found.fans.values() for fan in fans for far in fan.fars} == set(finer[:20])
    assert store.calls == ["neighbours", "paths", "neighbours"]
    labels(store, found.distance)
    assert store.calls[3:] == ["get_datasets"]


def test_rules_name_attributes_as_tags_do() -> None:
    rules = parse_rules('- {dataset: "ns t*", path: "**.mail", category: user.contact.email}')
    store = _store("t1:user.mail -IDENTITY-> o:mail\nt2:mail -IDENTITY-> o:mail", "t2:mail")
    found = personal(store, rules.paths).attributes
    assert [attribute.node for attribute in found] == [node("t1:user.mail"), node("t2:mail")]
    assert found[1].named_by == ("rule in line 1", "tag data_category = user.contact.email")


@pytest.mark.parametrize(
    ("key", "value", "named"),
    [
        ("data_category", "user.contact.email", ("user.contact.email",)),
        ("anything", "user.name, user.contact", ("user.name", "user.contact")),
        ("user.contact.email", "true", ("user.contact.email",)),
        ("user.contact.email", "false", ()),
        ("pii", "true", ("user",)),
        ("PII", "high", ("user",)),
        ("pii", "no", ()),
        ("data_category", "system.operations", ()),
        ("team", "growth", ()),
        ("data_category", "user.contact.emial", None),
    ],
)
def test_tags_name_categories(key: str, value: str, named: tuple[str, ...] | None) -> None:
    assert tag_categories(key, value) == named


def test_a_tag_that_means_a_category_and_names_none_is_reported() -> None:
    where: NodeKey = node("t:mail")
    store = MemoryStore(
        graph("t:mail -IDENTITY-> o:mail"), tags=[(where, "data_category", "user.contact.emial")]
    )
    gap, unclassified = exposure(store).incomplete
    assert unclassified.reason == "UNCLASSIFIED"
    assert gap.reason == "UNKNOWN_CATEGORY" and gap.path == ("mail",)
    assert "user.contact.email" in gap.detail
