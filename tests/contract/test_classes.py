"""Stewards classify and declassify paths, and revoke that, in every store."""

from __future__ import annotations

import io
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest

from headwater_backend.domain.audit_log import AuditNote
from headwater_backend.domain.errors import BadQuestion, Forbidden, UnknownCategory, UnknownJob, UnknownPath
from headwater_backend.domain.model import DatasetKey, JobKey, NodeKey
from headwater_backend.domain.node_keys import dataset_of, node_text
from headwater_backend.domain.records import Batch, DecisionMade
from headwater_backend.domain.roles import Caller, Role, everything
from headwater_backend.ingest.service import ingest
from headwater_backend.names import listing, stewardship
from headwater_backend.names.decisions import Alias
from headwater_backend.names.stewardship import Steward
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.answers.exposure_changes import exposure_changes
from headwater_backend.privacy.answers.policy_check import Outcome, PolicyCheck, check_policies
from headwater_backend.privacy.classification import class_lists
from headwater_backend.privacy.classification.decided import Declassification, PathClass, decided
from headwater_backend.privacy.classification.deciding import Wanted, decide
from headwater_backend.privacy.classification.personal import Source
from headwater_backend.privacy.exposure import ExposureReport, Ruling, exposed
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.privacy.files import parse_policies
from headwater_backend.questions.traversal import Bounds
from headwater_backend.stores import open_store
from headwater_backend.stores.copying.copy import export, fill
from headwater_backend.stores.copying.digest import graph_digest
from headwater_backend.stores.copying.ndjson import Reader, Writer
from headwater_backend.stores.rows.store import RowStore
from kit.openlineage import NAMESPACE, at, dataset, event, facet, paths

EMAIL, NAME = "user.contact.email", "user.name"
ME = Steward(everything("anna"), "the data catalogue says so", now=at(5))
TAGS = facet(tags=[{"key": "data_category", "value": EMAIL, "source": "CONFIG", "field": "mail"}])
COPIES = JobKey(NAMESPACE, "copies")


def node(name: str, *path: str) -> NodeKey:
    return NodeKey(DatasetKey(NAMESPACE, name), path)


def step(minute: int, job: str, source: str, target: str, *columns: str, **facets: Any) -> dict[str, Any]:
    traced = paths(*(([column], source, [column], "IDENTITY") for column in columns))
    return event(
        "COMPLETE",
        minute,
        f"run of {job}",
        [dataset(source, *columns, **facets)],
        [dataset(target, *columns, headwater_pathLineage=traced)],
        job,
    )


@pytest.fixture
def chain(store: LineageStore) -> LineageStore:
    """``people`` with a tagged mail is copied into ``copy``, and that into ``report``."""
    events = [
        step(1, "copies", "people", "copy", "mail", "nick", tags=TAGS),
        step(2, "reports", "copy", "report", "mail", "nick"),
    ]
    assert all(outcome.stored for outcome in ingest(store, events))
    return store


def classify(
    store: LineageStore, where: NodeKey, *keys: str, minute: int = 5, **options: Any
) -> tuple[DecisionMade, ...]:
    return decide(store, Wanted(classes=(PathClass(where, keys),)), replace(ME, now=at(minute)), **options)


def declassify(
    store: LineageStore, where: NodeKey, job: JobKey | None = None, until: int | None = None
) -> tuple[DecisionMade, ...]:
    thing = Declassification(where, job, at(until) if until else None)
    return decide(store, Wanted(declassified=(thing,)), ME)


def asked(store: LineageStore, minute: int | None = None, **scope: Any) -> ExposureReport:
    bounds = Bounds(as_of=at(minute) if minute else None)
    return exposed(store, Scope(bounds=bounds, **scope))


def held(report: ExposureReport) -> dict[str, set[str]]:
    """From each attribute to the paths that hold it."""
    return {
        f"{each.attribute.node.dataset.name}.{'.'.join(each.attribute.node.path)}": {
            f"{out.node.dataset.name}.{'.'.join(out.node.path)}" for out in each.outputs
        }
        for each in report.attributes
    }


def test_a_steward_classifies_a_path(chain: LineageStore) -> None:
    (made,) = classify(chain, node("people", "nick"), NAME)
    assert (made.actor, made.reason) == ("anna", "the data catalogue says so")
    report = asked(chain)
    assert held(report)["people.nick"] == {"copy.nick", "report.nick"}
    (nick,) = (each.attribute for each in report.attributes if each.attribute.node.path == ("nick",))
    assert nick.categories == (NAME,)
    assert nick.named_by == (f"steward anna on {at(5):%Y-%m-%d}: the data catalogue says so",)
    assert report.classification.decided == 1


def test_a_steward_overrules_tags_which_stay_visible(chain: LineageStore) -> None:
    classify(chain, node("people", "mail"), "user.contact", NAME)
    (mail,) = (each.attribute for each in asked(chain).attributes)
    assert mail.categories == ("user.contact", NAME)
    assert mail.named_by[1:] == (f"overrules tag data_category = {EMAIL}",)
    page = class_lists.classes(chain, (), first=10)
    assert [(each.source, each.overruled, each.author) for _, each in page.items] == [
        (Source.STEWARD, False, "anna"),
        (Source.TAG, True, None),
    ]


def test_what_is_not_personal_according_to_a_steward_is_no_attribute(chain: LineageStore) -> None:
    classify(chain, node("people", "mail"))
    report = asked(chain)
    assert not report.attributes
    assert report.classification.denied == 1
    assert report.complete, "a steward decided so of the only origin"


def test_a_revoked_class_leaves_what_tags_say(chain: LineageStore) -> None:
    classify(chain, node("people", "mail"), NAME)
    decide(chain, Wanted(revoked=(node("people", "mail"),)), replace(ME, now=at(6)))
    (mail,) = (each.attribute for each in asked(chain).attributes)
    assert mail.categories == (EMAIL,)
    texts = [each.text for _, each in class_lists.history(chain).items]
    assert texts == [
        f"{NAMESPACE} people mail is not classified any more",
        f"{NAMESPACE} people mail is user.name",
    ]


def test_the_decisions_of_a_moment_are_those_in_force_then(chain: LineageStore) -> None:
    classify(chain, node("people", "mail"), NAME, minute=5)
    classify(chain, node("people", "mail"), minute=7)
    by_minute = {minute: asked(chain, minute).attributes for minute in (4, 6, 8)}
    assert [each.attribute.categories for each in by_minute[4]] == [(EMAIL,)]
    assert [each.attribute.categories for each in by_minute[6]] == [(NAME,)]
    assert by_minute[8] == ()
    assert [each.categories for _, each in class_lists.classes(chain, (), as_of=at(6)).items] == [
        (NAME,),
        (EMAIL,),
    ]
    assert len(class_lists.history(chain, at(6)).items) == 1


def test_changes_are_judged_by_the_classes_of_the_later_moment(chain: LineageStore) -> None:
    classify(chain, node("people", "nick"), NAME, minute=7)
    changes = exposure_changes(chain, Scope(bounds=Bounds(as_of=at(8))), at(4), Ruling())
    assert changes.changes == ()


def test_what_is_in_force_is_not_decided_again(chain: LineageStore) -> None:
    assert classify(chain, node("people", "nick"), NAME)
    assert classify(chain, node("people", "nick"), NAME, minute=6) == ()
    assert len(classify(chain, node("people", "nick"), EMAIL, minute=6, dry_run=True)) == 1
    assert len(class_lists.history(chain).items) == 1


@pytest.mark.parametrize(
    ("wanted", "error", "words"),
    [
        (Wanted(classes=(PathClass(node("people", "nik"), (NAME,)),)), UnknownPath, "nick"),
        (Wanted(classes=(PathClass(node("people", "nick"), ("user.nam",)),)), UnknownCategory, NAME),
        (Wanted(classes=(PathClass(node("people", "nick"), ("system.operations",)),)), BadQuestion, "user"),
        (Wanted(classes=(PathClass(node("people"), (NAME,)),)), BadQuestion, "name the paths"),
        (Wanted(revoked=(node("people", "nick"),)), BadQuestion, "in force"),
        (
            Wanted(declassified=(Declassification(node("copy", "mail"), JobKey(NAMESPACE, "nobody")),)),
            UnknownJob,
            "nobody",
        ),
        (Wanted(declassified=(Declassification(node("copy", "mail"), until=at(4)),)), BadQuestion, "past"),
        (
            Wanted(
                classes=(PathClass(node("people", "nick"), (NAME,)), PathClass(node("people", "nick"), ())),
            ),
            BadQuestion,
            "twice",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_with_the_place(
    chain: LineageStore, wanted: Wanted, error: type[Exception], words: str
) -> None:
    with pytest.raises(error) as refused:
        decide(chain, wanted, ME)
    assert words in f"{refused.value} {getattr(refused.value, 'hint', '')}"
    assert not chain.decisions()


@pytest.mark.parametrize("reason", ["", "  ", "x" * 2_001])
def test_a_decision_needs_a_reason(chain: LineageStore, reason: str) -> None:
    with pytest.raises(BadQuestion, match="reason"):
        decide(chain, Wanted(rejected=(node("people", "nick"),)), replace(ME, reason=reason))


def test_a_steward_decides_in_namespaces_of_its_own(chain: LineageStore) -> None:
    stranger = replace(ME, caller=Caller("eve", frozenset({Role.STEWARD}), ("elsewhere*",)))
    for wanted in [
        Wanted(classes=(PathClass(node("people", "nick"), (NAME,)),)),
        Wanted(declassified=(Declassification(node("copy", "mail")),)),
        Wanted(rejected=(node("people", "nick"),)),
    ]:
        with pytest.raises(Forbidden, match="not yours"):
            decide(chain, wanted, stranger)
    classify(chain, node("people", "nick"), NAME)
    with pytest.raises(Forbidden, match="not yours"):
        decide(chain, Wanted(revoked=(node("people", "nick"),)), stranger)


def test_each_decision_is_in_the_audit_log(chain: LineageStore) -> None:
    classify(chain, node("people", "nick"), NAME)
    declassify(chain, node("copy", "mail"), COPIES)
    entries = [entry for entry in chain.audit() if entry.action == "classes"]
    assert [(entry.actor, entry.result) for entry in entries] == [
        ("anna", "classified"),
        ("anna", "declassified"),
    ]
    assert "people nick" in entries[0].details


def test_a_declassified_path_ends_what_comes_from_upstream(chain: LineageStore) -> None:
    declassify(chain, node("copy", "mail"))
    report = asked(chain)
    assert held(report) == {"people.mail": set()}
    (stop,) = report.classification.stops
    assert (stop.declassification.node, stop.made.actor) == (node("copy", "mail"), "anna")
    at_report = asked(chain, at=node("report"))
    assert at_report.attributes == ()
    assert at_report.classification.stops == (stop,)


def test_what_is_declared_at_a_declassified_path_goes_on(chain: LineageStore) -> None:
    declassify(chain, node("people", "mail"))
    report = asked(chain)
    assert held(report) == {"people.mail": {"copy.mail", "report.mail"}}
    assert report.classification.stops == ()


def test_a_declassification_may_be_of_one_job(chain: LineageStore) -> None:
    ingest(chain, [step(3, "elsewhere", "people", "copy", "mail")])
    declassify(chain, node("copy", "mail"), COPIES)
    assert held(asked(chain)) == {"people.mail": {"copy.mail", "report.mail"}}
    (mail,) = asked(chain).attributes
    assert [edge.job.name for edge in mail.output(node("copy", "mail")).witness] == ["elsewhere"]
    declassify(chain, node("copy", "mail"), JobKey(NAMESPACE, "elsewhere"))
    assert held(asked(chain)) == {"people.mail": set()}


def test_a_declassification_is_in_force_from_its_time_until_its_end(chain: LineageStore) -> None:
    declassify(chain, node("copy", "mail"), until=9)
    assert [len(held(asked(chain, minute))["people.mail"]) for minute in (4, 5, 8, 9)] == [2, 0, 0, 2]
    assert len(class_lists.declassifications(chain, at(6)).items) == 1
    assert len(class_lists.declassifications(chain, at(9)).items) == 0


def test_what_another_server_decides_counts_at_once(chain: LineageStore, store_url: str) -> None:
    declassify(chain, node("copy", "mail"))
    assert held(asked(chain)) == {"people.mail": set()}
    with closing(open_store(store_url)) as other:
        wanted = Wanted(reinstated=((node("copy", "mail"), None),))
        decide(other, wanted, replace(ME, now=at(6)))
    assert held(asked(chain)) == {"people.mail": {"copy.mail", "report.mail"}}


def test_what_another_server_renames_counts_at_once(chain: LineageStore, store_url: str) -> None:
    declassify(chain, node("copy", "mail"))
    assert held(asked(chain)) == {"people.mail": set()}
    with closing(open_store(store_url)) as other:
        alias = Alias(DatasetKey(NAMESPACE, "copy"), DatasetKey(NAMESPACE, "clone"))
        stewardship.decide(other, stewardship.Wanted((alias,)), replace(ME, now=at(6)))
    assert held(asked(chain)) == {"people.mail": set()}
    (found,) = chain.decisions().canonical.items()
    assert [dataset_of(each).name for each in found] == ["copy", "clone"]


def test_decisions_are_read_again_only_when_there_are_more(chain: LineageStore) -> None:
    declassify(chain, node("copy", "mail"))
    known = chain.decisions()
    assert chain.decisions() is known
    declassify(chain, node("report", "mail"))
    assert len(chain.decisions()) == len(known) + 1


def test_decisions_that_come_late_are_read_in_their_order(chain: LineageStore, store_url: str) -> None:
    classify(chain, node("people", "mail"), NAME)
    (made,) = chain.decisions()
    others = [
        replace(
            made, subject=f"class {node_text(node('people', name))}", time=made.time + minutes * 60_000_000
        )
        for name, minutes in (("later", 1), ("older", -1), ("same", 0), ("last", 2), ("oldest", -2))
    ]
    with closing(open_store(store_url)) as other:
        for each in others:
            other.apply(Batch(decisions=(each,)))
            assert list(chain.decisions()) == list(other.decisions())
    steps = {name for each in decided(chain, at(60)).classes for name in each.path}
    assert steps == {"mail", "later", "older", "same", "last", "oldest"}


def test_a_revoked_declassification_ends_nothing(chain: LineageStore) -> None:
    declassify(chain, node("copy", "mail"), COPIES)
    with pytest.raises(BadQuestion, match="in force"):
        decide(chain, Wanted(reinstated=((node("copy", "mail"), None),)), ME)
    decide(chain, Wanted(reinstated=((node("copy", "mail"), COPIES),)), replace(ME, now=at(6)))
    assert held(asked(chain)) == {"people.mail": {"copy.mail", "report.mail"}}


POLICIES = parse_policies("""
- policy: no contact data in reports
  category: user.contact
  dataset: {namespace: "*", name: report}
- policy: no names in reports
  category: user.name
  dataset: {namespace: "*", name: report}
""")


def checked(store: LineageStore) -> PolicyCheck:
    return check_policies(store, POLICIES, Ruling())


def test_a_policy_that_a_declassification_satisfies_lists_it(chain: LineageStore) -> None:
    classify(chain, node("report", "nick"), "user.name.first")
    assert [each.outcome for each in checked(chain).verdicts] == [Outcome.VIOLATED, Outcome.VIOLATED]
    classify(chain, node("report", "nick"), minute=6)
    classify(chain, node("people", "nick"), "user.name", minute=6)
    declassify(chain, node("copy", "mail"))
    contact, names = checked(chain).verdicts
    assert contact.outcome is Outcome.SATISFIED
    assert [stop.declassification.node for stop in contact.stops] == [node("copy", "mail")]
    assert names.outcome is Outcome.VIOLATED
    assert names.stops == ()


def test_classes_follow_their_dataset_under_another_name(chain: LineageStore) -> None:
    classify(chain, node("people", "nick"), NAME)
    declassify(chain, node("copy", "mail"))
    for name in ("people", "copy"):
        alias = Alias(DatasetKey(NAMESPACE, name), DatasetKey("warehouse", name))
        stewardship.decide(chain, stewardship.Wanted((alias,)), ME)
    report = asked(chain)
    assert {each.attribute.node.dataset.namespace for each in report.attributes} == {"warehouse"}
    assert held(report) == {"people.nick": {"copy.nick", "report.nick"}, "people.mail": set()}
    decide(
        chain,
        Wanted(revoked=(NodeKey(DatasetKey("warehouse", "people"), ("nick",)),)),
        replace(ME, now=at(7)),
    )
    assert held(asked(chain)) == {"people.mail": set()}


def test_names_are_not_concerned_by_decisions_about_classes(chain: LineageStore) -> None:
    alias = Alias(DatasetKey(NAMESPACE, "people"), DatasetKey("warehouse", "people"))
    stewardship.decide(chain, stewardship.Wanted((alias,)), ME)
    before = [row for row in chain.contents() if row[0] != "decision"]
    classify(chain, node("people", "nick"), NAME)
    after = [row for row in chain.contents() if row[0] != "decision"]
    assert sorted(map(str, before)) == sorted(map(str, after))
    assert [each.subject.partition(" ")[0] for each in stewardship.history(chain)] == ["alias"]
    assert len(listing.history(chain, None, None).items) == 1
    assert stewardship.stands(chain).aliases.keys() == {alias}


def test_decisions_survive_a_copy_of_the_store(chain: LineageStore, tmp_path: Any) -> None:
    classify(chain, node("people", "nick"), NAME)
    declassify(chain, node("copy", "mail"), COPIES)
    decide(chain, Wanted(rejected=(node("people", "mail"),)), ME)
    out = io.BytesIO()
    export(chain, Writer(out, "1"), AuditNote("me", "store.export", "done"), lambda _: None)
    with closing(open_store(f"sqlite:///{tmp_path}/copy.db")) as copy:
        lines = io.BytesIO(out.getvalue())
        fill(copy, Reader(lines), AuditNote("me", "store.fill", "filled"), lambda _: None)
        assert copy.decisions() == chain.decisions()
        expected = {"people.nick": {"copy.nick", "report.nick"}, "people.mail": set()}
        assert held(asked(copy)) == held(asked(chain)) == expected
        assert graph_digest(copy).digest == graph_digest(chain).digest


def test_an_unreadable_decision_decides_nothing(chain: LineageStore) -> None:
    known = decide(chain, Wanted(rejected=(node("people", "nick"),)), ME)
    broken: Sequence[str] = (
        "[]",
        "{",
        '{"categories":3}',
        '{"until":"x"}',
        '{"until":9999999999999999999999}',
        "null",
    )
    subjects = ("class ", "declassified ", "declassified-by ns/job/", "rejected ")
    subject, time = known[0].subject.partition(" ")[2], known[0].time
    made = [
        DecisionMade(kind + subject, time + place, text, "x", "y")
        for kind in subjects
        for place, text in enumerate(broken, 1)
    ]
    nowhere = ("class x", "class ", "declassified-by a/b", "declassified-by a/b/", "rejected a/b")
    made += [DecisionMade(text, time, '{"categories":[]}', "x", "y") for text in nowhere]
    chain.apply(Batch(decisions=tuple(made)))
    assert held(asked(chain)) == {"people.mail": {"copy.mail", "report.mail"}}
    assert len(class_lists.history(chain).items) == 1 + len(broken) * len(subjects)
    decide(chain, Wanted(classes=(PathClass(node("people", "nick"), (NAME,)),)), replace(ME, now=at(30)))
    decide(chain, Wanted(revoked=(node("people", "nick"),)), replace(ME, now=at(31)))


def test_writers_of_names_do_not_count_decisions_about_classes(chain: LineageStore) -> None:
    alias = Alias(DatasetKey(NAMESPACE, "people"), DatasetKey("warehouse", "people"))
    stewardship.decide(chain, stewardship.Wanted((alias,)), ME)
    counts = []
    for minute, category in ((6, EMAIL), (7, NAME)):
        classify(chain, node("people", "nick"), category, minute=minute)
        assert isinstance(chain, RowStore)
        ((_, count),) = chain._read(lambda tx: tx.rows(tx.statements.names.changed, runs=[]))
        counts.append(count)
    assert counts == [1, 1]


def test_a_steward_resolves_a_tag_that_names_no_category(store: LineageStore) -> None:
    tags = facet(tags=[{"key": "data_category", "value": "user.emial", "field": "mail"}])
    ingest(store, [step(1, "copies", "people", "copy", "mail", tags=tags)])
    assert "UNKNOWN_CATEGORY" in {gap.reason for gap in asked(store).incomplete}
    classify(store, node("people", "mail"), EMAIL)
    assert asked(store).complete


def struct_events(subtype: str = "TRANSFORMATION") -> list[dict[str, Any]]:
    """``out.contact`` is made of a mail address as a whole, by two jobs, and read member by member."""
    schema = ("contact", ["email", "phone"])
    read = paths(
        (["e"], "out", ["contact", "email"], "IDENTITY"),
        (["p"], "out", ["contact", "phone"], "IDENTITY"),
        (["whole"], "out", ["contact"], "TRANSFORMATION"),
    )
    made = paths((["contact"], "people", ["mail"], subtype))
    return [
        event(
            "COMPLETE",
            minute,
            job,
            [dataset("people", "mail", tags=TAGS)],
            [dataset("out", schema, headwater_pathLineage=made)],
            job,
        )
        for minute, job in enumerate(("copies", "other"), 1)
    ] + [
        event(
            "COMPLETE",
            3,
            "reads",
            [dataset("out", schema)],
            [dataset("end", "e", "p", "whole", headwater_pathLineage=read)],
            "reads",
        )
    ]


EMAIL_MEMBER = node("out", "contact", "email")


def test_a_declassified_member_stops_what_arrived_in_its_struct_as_a_whole(store: LineageStore) -> None:
    assert all(outcome.stored for outcome in ingest(store, struct_events()))
    everywhere = {"out.contact", "end.e", "end.p", "end.whole"}
    assert held(asked(store)) == {"people.mail": everywhere}
    assert asked(store, at=EMAIL_MEMBER).attributes
    declassify(store, EMAIL_MEMBER)
    report = asked(store)
    assert held(report) == {"people.mail": everywhere - {"end.e"}}
    assert [stop.declassification.node for stop in report.classification.stops] == [EMAIL_MEMBER]
    assert asked(store, at=EMAIL_MEMBER).attributes == ()
    assert asked(store, at=node("out", "contact")).attributes
    assert asked(store, at=node("out", "contact", "phone")).attributes


def test_a_member_that_is_declassified_for_one_job_has_what_others_bring(store: LineageStore) -> None:
    assert all(outcome.stored for outcome in ingest(store, struct_events()))
    declassify(store, EMAIL_MEMBER, COPIES)
    (mail,) = asked(store).attributes
    assert held(asked(store))["people.mail"] >= {"out.contact", "out.contact.email", "end.e", "end.p"}
    assert [edge.job.name for edge in mail.output(node("end", "e")).witness] == ["other", "reads"]
    declassify(store, EMAIL_MEMBER, JobKey(NAMESPACE, "other"))
    assert held(asked(store)) == {"people.mail": {"out.contact", "end.p", "end.whole"}}
    assert asked(store, at=EMAIL_MEMBER).attributes == ()


def test_what_is_declared_of_a_struct_goes_on_from_its_declassified_members(store: LineageStore) -> None:
    assert all(outcome.stored for outcome in ingest(store, struct_events()))
    classify(store, node("out", "contact"), EMAIL)
    declassify(store, EMAIL_MEMBER)
    found = asked(store)
    assert held(found) == {
        "out.contact": {"end.e", "end.p", "end.whole"},
        "people.mail": {"out.contact", "end.p", "end.whole"},
    }
    own = next(each for each in found.attributes if each.attribute.node == node("out", "contact"))
    assert [edge.source for edge in own.output(node("end", "e")).witness] == [EMAIL_MEMBER]


def test_policies_on_members_are_satisfied_by_their_declassification_alone(store: LineageStore) -> None:
    assert all(outcome.stored for outcome in ingest(store, struct_events()))
    place = "category: user.contact, dataset: {namespace: '*', name: out}"
    policies = parse_policies(
        f"- {{policy: no mail, {place}, path: contact.email}}\n"
        f"- {{policy: no phone, {place}, path: contact.phone}}\n"
        "- {policy: none in e, category: user.contact, dataset: {namespace: '*', name: end}, path: e}"
    )
    assert {each.outcome for each in check_policies(store, policies, Ruling()).verdicts} == {Outcome.VIOLATED}
    declassify(store, EMAIL_MEMBER)
    mail, phone, elsewhere = check_policies(store, policies, Ruling()).verdicts
    assert (mail.outcome, phone.outcome, elsewhere.outcome) == (
        Outcome.SATISFIED,
        Outcome.VIOLATED,
        Outcome.SATISFIED,
    )
    for verdict in (mail, elsewhere):
        assert [stop.declassification.node for stop in verdict.stops] == [EMAIL_MEMBER]
    assert phone.stops == ()


def test_a_steward_looks_at_a_whole_dataset_and_overrules_nothing(chain: LineageStore) -> None:
    (made,) = decide(chain, Wanted(classes=(PathClass(node("people"), ()),)), ME)
    (looked, _), *others = decided(chain, at(6)).reviewed.values()
    assert (looked.node, looked.paths, others) == (node("people"), frozenset({("mail",), ("nick",)}), [])
    assert class_lists.listed(made).text == (
        f"{NAMESPACE} people was looked at: none of its 2 paths is personal but what is classified"
    )
    assert [each.attribute.node for each in exposed(chain, Scope()).attributes] == [node("people", "mail")]


def test_what_a_steward_looked_at_is_open_again_for_paths_that_came_later(chain: LineageStore) -> None:
    decide(chain, Wanted(classes=(PathClass(node("people"), ()),)), ME)
    ingest(chain, [step(7, "copies", "people", "copy", "mail", "phone")])
    decisions = decided(chain, at(8))
    assert not decisions.is_open(node("people", "nick"))
    assert decisions.is_open(node("people", "phone"))


def test_a_look_at_a_whole_dataset_is_revoked(chain: LineageStore) -> None:
    decide(chain, Wanted(classes=(PathClass(node("people"), ()),)), ME)
    decide(chain, Wanted(revoked=(node("people"),)), replace(ME, now=at(6)))
    assert not decided(chain, at(7)).reviewed


def test_a_whole_dataset_has_no_category(chain: LineageStore) -> None:
    with pytest.raises(BadQuestion, match="is a dataset, and no path"):
        decide(chain, Wanted(classes=(PathClass(node("people"), (EMAIL,)),)), ME)
