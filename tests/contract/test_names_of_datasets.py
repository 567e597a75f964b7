"""Stewards join datasets by aliases and by namespace rules, and revoke that, in every store."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from headwater_backend.domain.audit_log import AuditNote
from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.model import DatasetKey, Direction, LineageType, NodeKey
from headwater_backend.domain.records import Batch
from headwater_backend.domain.roles import everything
from headwater_backend.ingest.service import ingest
from headwater_backend.names import stewardship
from headwater_backend.names.checks import NameConflict
from headwater_backend.names.decisions import Alias, Decidable, Separation
from headwater_backend.names.namespaces import NamespaceRule, RuleKind
from headwater_backend.names.stewardship import Decided, Steward, Wanted
from headwater_backend.ports import LineageStore, get_dataset
from headwater_backend.questions import resolving
from headwater_backend.questions.closure import forward
from headwater_backend.stores import open_store
from headwater_backend.stores.copying.copy import export, fill
from headwater_backend.stores.copying.digest import graph_digest
from headwater_backend.stores.copying.ndjson import Reader, Writer
from kit import neo4j
from kit.openlineage import at, columns, dataset, digest, event, facet

LOCALHOST, LOOPBACK = "postgres://localhost:5432", "postgres://127.0.0.1:5432"
ME = Steward(everything("somebody"), "the same machine", now=at(0))
SAME_MACHINE = NamespaceRule("loopback", RuleKind.EXACT, to=LOCALHOST, namespaces=(LOOPBACK,))
BACKWARD, FORWARD = Direction.BACKWARD, Direction.FORWARD


def named(namespace: str, name: str, *schema: str, **facets: Any) -> dict[str, Any]:
    return {**dataset(name, *schema, **facets), "namespace": namespace}


def made_of(column: str, namespace: str, name: str, source: str) -> dict[str, Any]:
    made = columns({column: [(name, source)]})
    made["fields"][column]["inputFields"][0]["namespace"] = namespace
    return {"columnLineage": made}


def written_and_read() -> list[dict[str, Any]]:
    """``people`` is written at 127.0.0.1 from a file, and read at localhost into a report."""
    source = named("file", "/people.csv", "ssn")
    written = named(LOOPBACK, "db.people", "ssn", **made_of("ssn", "file", "/people.csv", "ssn"))
    read = named(LOCALHOST, "db.people", "ssn", "age")
    report = named("file", "/report", "id", **made_of("id", LOCALHOST, "db.people", "ssn"))
    return [
        event("COMPLETE", 1, "write", [source], [written], job="write"),
        event("COMPLETE", 2, "read", [read], [report], job="read"),
    ]


def ingest_all(store: LineageStore, events: Sequence[Any]) -> None:
    assert all(outcome.stored for outcome in ingest(store, events))


def alias(name: tuple[str, str], of: tuple[str, str]) -> Alias:
    return Alias(DatasetKey(*name), DatasetKey(*of))


PEOPLE = alias((LOOPBACK, "db.people"), (LOCALHOST, "db.people"))


def wanted(*things: Decidable) -> Wanted:
    """That they hold."""
    return Wanted(
        tuple(thing for thing in things if isinstance(thing, Alias)),
        tuple(thing for thing in things if isinstance(thing, NamespaceRule)),
        tuple(thing for thing in things if isinstance(thing, Separation)),
    )


def decide(store: LineageStore, *things: Decidable, minute: int = 5, **options: Any) -> Decided:
    return stewardship.decide(store, wanted(*things), replace(ME, now=at(minute)), **options)


def take_back(store: LineageStore, *things: Decidable, **options: Any) -> Decided:
    held = wanted(*things)
    dropped = Wanted(
        dropped_aliases=tuple(alias.name for alias in held.aliases),
        dropped_rules=tuple(rule.name for rule in held.rules),
        dropped_separations=held.separations,
    )
    return stewardship.decide(store, dropped, ME, **options)


def reached(store: LineageStore, start: tuple[str, str], direction: Direction, **options: Any) -> set[str]:
    """The datasets at the other ends of the edges, two steps far."""
    found: set[NodeKey] = set()
    frontier = [NodeKey(DatasetKey(*start), ())]
    for _ in range(2):
        types = frozenset(LineageType)
        fans = store.neighbours(frontier, direction, types, **options).fans if frontier else ()
        frontier = sorted({far for fan in fans for far in fan.fars})
        found.update(frontier)
    return {node.dataset.name for node in found}


def rows(store: LineageStore, *without: str) -> list[tuple[Any, ...]]:
    return sorted((row for row in store.contents() if row[0] not in without), key=str)


@pytest.mark.parametrize("thing", [PEOPLE, SAME_MACHINE], ids=["alias", "rule"])
def test_lineage_goes_on_where_one_dataset_has_two_names(
    store: LineageStore, thing: Alias | NamespaceRule
) -> None:
    ingest_all(store, written_and_read())
    assert reached(store, ("file", "/people.csv"), FORWARD) == {"db.people"}
    decide(store, thing)
    for start in [("file", "/people.csv"), (LOCALHOST, "db.people"), (LOOPBACK, "db.people")]:
        assert "/report" in reached(store, start, FORWARD)
    assert "/people.csv" in reached(store, ("file", "/report"), BACKWARD)
    assert "/people.csv" in reached(store, ("file", "/report"), BACKWARD, as_of=at(3))
    people = resolving.resolve_dataset(store, DatasetKey(LOOPBACK, "db.people"))
    assert people.key == DatasetKey(LOCALHOST, "db.people")
    assert people.names == (DatasetKey(LOOPBACK, "db.people"),)
    assert store.paths([people.key])[people.key] == [("age",), ("ssn",)]
    assert [run.job.name for run in store.runs_with([people.key])[people.key]] == ["read", "write"]
    assert people.key in store.dataset_keys()
    assert DatasetKey(LOOPBACK, "db.people") not in store.dataset_keys()
    assert [key.name for key in store.sources()] == ["/people.csv"]


@pytest.mark.parametrize("thing", [PEOPLE, SAME_MACHINE], ids=["alias", "rule"])
def test_what_is_taken_back_leaves_the_store_as_it_was(
    store: LineageStore, thing: Alias | NamespaceRule
) -> None:
    ingest_all(store, written_and_read())
    before = rows(store)
    decide(store, thing)
    assert rows(store, "decision") != before
    take_back(store, thing)
    assert rows(store, "decision") == before
    assert reached(store, ("file", "/people.csv"), FORWARD) == {"db.people"}
    assert [bool(made.content) for made in stewardship.history(store)] == [False, True]


def linked_by_events() -> list[dict[str, Any]]:
    """As ``written_and_read``, and both names of ``people`` are joined by an event."""
    link = {"symlinks": facet(identifiers=[{"namespace": LOOPBACK, "name": "db.people", "type": "TABLE"}])}
    joined = named(LOCALHOST, "db.people", **link)
    return [*written_and_read(), event("COMPLETE", 3, "link", [], [joined], job="link")]


APART = Separation.of(DatasetKey(LOOPBACK, "db.people"), DatasetKey(LOCALHOST, "db.people"))


@pytest.mark.parametrize("facets_of_link", ["symlinks", "rename"])
def test_what_events_joined_is_two_datasets_where_a_steward_separated_them(
    store: LineageStore, facets_of_link: str
) -> None:
    events = linked_by_events()
    if facets_of_link == "rename":
        before = {"namespace": LOOPBACK, "name": "db.people"}
        renamed = facet(lifecycleStateChange="RENAME", previousIdentifier=before)
        events[-1]["outputs"][0]["facets"] = {"lifecycleStateChange": renamed}
    ingest_all(store, events)
    start, own = ("file", "/people.csv"), DatasetKey(LOCALHOST, "db.people")
    assert "/report" in reached(store, start, FORWARD)
    joined = rows(store)
    dry = decide(store, APART, dry_run=True)
    assert [(each.name, each.after) for each in dry.renamed] == [(DatasetKey(LOOPBACK, "db.people"),) * 2]
    assert rows(store) == joined
    decided = decide(store, APART)
    assert decided.renamed == dry.renamed
    assert reached(store, start, FORWARD) == reached(store, start, FORWARD, as_of=at(4)) == {"db.people"}
    assert resolving.resolve_dataset(store, own).names == ()
    assert store.names()[DatasetKey(LOOPBACK, "db.people")] == DatasetKey(LOOPBACK, "db.people")
    ingest_all(store, [{**events[-1], "eventTime": at(9).isoformat()}])
    assert reached(store, start, FORWARD) == {"db.people"}, "also when it is reported again"
    take_back(store, APART)
    assert "/report" in reached(store, start, FORWARD)
    assert [bool(made.content) for made in stewardship.history(store)] == [False, True]


def test_an_alias_joins_what_is_kept_apart(store: LineageStore) -> None:
    ingest_all(store, linked_by_events())
    decide(store, APART)
    decide(store, PEOPLE)
    assert resolving.resolve_dataset(store, PEOPLE.name).key == PEOPLE.dataset


@pytest.mark.parametrize("thing", [PEOPLE, SAME_MACHINE], ids=["alias", "rule"])
def test_a_dry_run_returns_what_would_be_merged_and_keeps_nothing(
    store: LineageStore, thing: Alias | NamespaceRule
) -> None:
    ingest_all(store, written_and_read())
    before, log = rows(store), store.audit_end()
    tried = decide(store, thing, dry_run=True)
    assert [(each.name.namespace, each.after.namespace) for each in tried.renamed] == [(LOOPBACK, LOCALHOST)]
    assert tried.datasets == [DatasetKey(LOOPBACK, "db.people"), DatasetKey(LOCALHOST, "db.people")]
    assert (tried.paths, tried.edges) == (3, 2)
    assert (rows(store), store.audit_end()) == (before, log)
    decided = decide(store, thing)
    assert (decided.renamed, decided.paths, decided.edges) == (tried.renamed, 2, 2)


def test_a_canonical_name_that_no_event_gave_is_a_dataset_while_it_is_needed(store: LineageStore) -> None:
    ingest_all(store, written_and_read())
    elsewhere = NamespaceRule("db", RuleKind.HOST_LIST, to="db.example", hosts=("localhost", "127.0.0.1"))
    decide(store, elsewhere)
    key = DatasetKey("postgres://db.example:5432", "db.people")
    assert key in store.dataset_keys()
    assert store.datasets("db.example").total == 1
    assert store.datasets(first=0).total == store.datasets().total == len(store.dataset_keys())
    assert store.datasets_like("db.example") == store.datasets_like("127.0.0.1") == [key]
    found = resolving.resolve_dataset(store, key)
    assert [name.namespace for name in found.names] == [LOOPBACK, LOCALHOST]
    assert (found.first_seen, found.last_seen) == (at(1), at(2))
    take_back(store, elsewhere)
    assert get_dataset(store, key) is None
    assert key not in store.dataset_keys()


def test_names_that_come_later_follow_what_was_decided_before(store: LineageStore) -> None:
    wide = NamespaceRule("all", RuleKind.PATTERN, to="postgres://db:5432", regex=r"^postgres://[^:/]+:5432$")
    decide(store, wide, alias(("file", "/report"), ("file", "/reports/weekly")))
    ingest_all(store, written_and_read())
    assert (
        resolving.resolve_dataset(store, DatasetKey(LOCALHOST, "db.people")).key.namespace
        == "postgres://db:5432"
    )
    assert (
        resolving.resolve_dataset(store, DatasetKey("postgres://never:5432", "db.people")).key.name
        == "db.people"
    )
    assert reached(store, ("file", "/people.csv"), FORWARD) == {"db.people", "/reports/weekly"}
    assert "/reports/weekly" in [key.name for key in store.dataset_keys()]


def test_aliases_join_all_names_that_events_gave_a_dataset(store: LineageStore) -> None:
    links = {"symlinks": facet(identifiers=[{"namespace": "hive", "name": "db.t", "type": "TABLE"}])}
    out = named("file", "/t", "x", **links, **made_of("x", "file", "/in", "y"))
    ingest_all(store, [event("COMPLETE", 1, "a", [named("file", "/in", "y")], [out])])
    decide(store, alias(("hive", "db.t"), ("unity", "main.db.t")))
    for name in [("file", "/t"), ("hive", "db.t"), ("unity", "main.db.t")]:
        assert resolving.resolve_dataset(store, DatasetKey(*name)).key == DatasetKey("unity", "main.db.t")
        assert reached(store, name, BACKWARD) == {"/in"}


def test_a_dataset_that_was_dropped_is_dropped_under_all_its_names(store: LineageStore) -> None:
    ingest_all(store, written_and_read())
    dropped = facet(lifecycleStateChange="DROP")
    gone = named(LOCALHOST, "db.people", lifecycleStateChange=dropped)
    ingest_all(store, [event("COMPLETE", 4, "drop", [], [gone], job="drop")])
    decide(store, PEOPLE)
    assert reached(store, ("file", "/people.csv"), FORWARD) == set()
    assert "db.people" in reached(store, ("file", "/people.csv"), FORWARD, as_of=at(3))
    take_back(store, PEOPLE)
    assert reached(store, ("file", "/people.csv"), FORWARD) == {"db.people"}


def test_columns_that_a_reader_names_otherwise_are_linked_across_names(store: LineageStore) -> None:
    csv = {"storage": facet(storageLayer="file", fileFormat="csv")}
    written = named("s3a://b", "d", "ssn", **csv, **made_of("ssn", "file", "/people", "ssn"))
    read = named("s3n://b", "d", "_c0", **csv)
    out = named("file", "/out", "x", **made_of("x", "s3n://b", "d", "_c0"))
    ingest_all(
        store,
        [
            event("COMPLETE", 1, "w", [named("file", "/people", "ssn")], [written], job="w"),
            event("COMPLETE", 2, "r", [read], [out], job="r"),
        ],
    )
    before = rows(store)
    buckets = NamespaceRule("buckets", RuleKind.PATTERN, regex="^s3[an]://", to="s3://")
    decide(store, buckets)
    start = NodeKey(DatasetKey("file", "/people"), ("ssn",))
    reached_paths = {(node.key.dataset.namespace, *node.key.path) for node in forward(store, start).nodes}
    assert reached_paths >= {("s3://b", "ssn"), ("s3://b", "_c0"), ("file", "x")}
    take_back(store, buckets)
    assert rows(store, "decision") == before


def test_what_is_personal_under_one_name_is_so_under_all(store: LineageStore) -> None:
    def tagged(column: str) -> dict[str, Any]:
        return {"tags": facet(tags=[{"key": "pii", "value": "user", "field": column}])}

    one = named(LOOPBACK, "db.people", "ssn", "name", **tagged("ssn"))
    other = named(LOCALHOST, "db.people", "ssn", "name", **tagged("name"))
    ingest_all(store, [event("COMPLETE", 1, "a", [], [one]), event("COMPLETE", 2, "b", [], [other])])
    decide(store, PEOPLE)
    key = DatasetKey(LOCALHOST, "db.people")
    assert [node for node, *_ in store.tagged_fields()] == [NodeKey(key, ("name",)), NodeKey(key, ("ssn",))]
    ingest_all(store, [event("COMPLETE", 3, "c", [], [named(LOOPBACK, "db.people", **tagged("none"))])])
    assert NodeKey(key, ("ssn",)) not in [node for node, *_ in store.tagged_fields()]


def test_a_decision_is_noted_in_the_audit_log_with_who_and_why(store: LineageStore) -> None:
    decide(store, PEOPLE)
    (entry,) = store.audit()
    assert (entry.actor, entry.action, entry.result) == ("somebody", "names", "alias added")
    assert "the same machine" in entry.details


def test_another_process_follows_what_was_decided(store: LineageStore, store_url: str) -> None:
    first, second = written_and_read()
    other = open_store(store_url)
    try:
        ingest_all(other, [first])
        decide(store, SAME_MACHINE)
        ingest_all(other, [second, first])
        assert "/report" in reached(other, ("file", "/people.csv"), FORWARD)
        take_back(other, SAME_MACHINE)
        ingest_all(store, [second])
        assert "/report" not in reached(store, ("file", "/people.csv"), FORWARD)
    finally:
        other.close()


def test_the_same_again_is_nothing_new(store: LineageStore) -> None:
    ingest_all(store, written_and_read())
    decide(store, PEOPLE, SAME_MACHINE)
    before = rows(store)
    again = decide(store, PEOPLE, SAME_MACHINE, minute=9)
    assert (again.decisions, again.renamed, rows(store)) == ((), [], before)


def test_what_contradicts_is_refused_and_both_are_named(store: LineageStore) -> None:
    ingest_all(store, written_and_read())
    decide(store, PEOPLE, SAME_MACHINE)
    other_way = NamespaceRule("back", RuleKind.EXACT, to=LOOPBACK, namespaces=(LOCALHOST,))
    elsewhere = NamespaceRule("hosts", RuleKind.HOST_LIST, to="db", hosts=("127.0.0.1",))
    refused: list[tuple[Decidable, str]] = [
        (alias((LOOPBACK, "db.people"), ("file", "/other")), "localhost:5432 db.people"),
        (alias((LOCALHOST, "db.people"), (LOOPBACK, "db.people")), "127.0.0.1"),
        (other_way, "'back' and 'loopback'.*circle"),
        (elsewhere, "'loopback' and 'hosts' disagree"),
        (replace(SAME_MACHINE, to="postgres://db"), "'loopback'.*localhost"),
    ]
    before = rows(store)
    for thing, words in refused:
        with pytest.raises(NameConflict, match=words):
            decide(store, thing)
    with pytest.raises(NameConflict, match="circle"):
        decide(
            store, alias(("a", "a"), ("b", "b")), alias(("b", "b"), ("c", "c")), alias(("c", "c"), ("a", "a"))
        )
    with pytest.raises(BadQuestion, match="itself"):
        decide(store, alias(("a", "a"), ("a", "a")))
    with pytest.raises(BadQuestion, match="no alias"):
        take_back(store, alias(("a", "a"), ("b", "b")))
    assert rows(store) == before


def test_decisions_go_with_a_copy_of_the_store(store: LineageStore, tmp_path: Any) -> None:
    ingest_all(store, written_and_read())
    decide(store, SAME_MACHINE, alias(("file", "/report"), ("s3://b", "report")))
    out = io.BytesIO()
    export(store, Writer(out, "1"), AuditNote("me", "store.export", "done"), lambda _: None)
    copy = open_store(f"sqlite:///{tmp_path}/copy.db")
    try:
        lines = io.BytesIO(out.getvalue())
        filled = fill(copy, Reader(lines), AuditNote("me", "store.fill", "filled"), lambda _: None)
        assert filled.equal
        assert graph_digest(copy).digest == graph_digest(store).digest
        assert stewardship.stands(copy).aliases.keys() == stewardship.stands(store).aliases.keys()
    finally:
        copy.close()


def test_pruning_keeps_what_was_decided(store: LineageStore) -> None:
    renamed = facet(
        lifecycleStateChange="RENAME", previousIdentifier={"namespace": LOOPBACK, "name": "db.before"}
    )
    failed = named(LOOPBACK, "db.people", lifecycleStateChange=renamed)
    ingest_all(store, [*written_and_read(), event("FAIL", 0, "rename", [], [failed], job="rename")])
    ingest_all(store, [event("COMPLETE", 9, "rename again", [], [named("file", "/x")], job="rename")])
    decide(store, SAME_MACHINE)
    store.prune(at(8))
    assert resolving.resolve_dataset(store, DatasetKey(LOOPBACK, "db.people")).key.namespace == LOCALHOST
    copied = Batch.merged(store.batches())
    links = [row for row in store.contents() if row[0] in ("alias", "decided_link")]
    store.apply(copied)
    assert [row for row in store.contents() if row[0] in ("alias", "decided_link")] == links


NAMES = st.sampled_from(["a", "b", "c"])
SPACES = st.sampled_from(["one", "two", "three"])
KEYS = st.tuples(SPACES, NAMES)


@st.composite
def few_events(draw: st.DrawFn) -> dict[str, Any]:
    space, name = draw(KEYS)
    source = draw(KEYS)
    facets: dict[str, Any] = made_of(draw(NAMES), *source, draw(NAMES))
    if draw(st.booleans()):
        link = draw(KEYS)
        facets["symlinks"] = facet(identifiers=[{"namespace": link[0], "name": link[1], "type": "TABLE"}])
    if draw(st.integers(0, 3)) == 0:
        change = draw(st.sampled_from(["CREATE", "DROP"]))
        facets["lifecycleStateChange"] = facet(lifecycleStateChange=change)
    kind = draw(st.sampled_from(["COMPLETE", "FAIL"]))
    return event(kind, draw(st.integers(0, 3)), draw(NAMES), [named(*source)], [named(space, name, **facets)])


@st.composite
def decisions(draw: st.DrawFn) -> Batch:
    """What another store decided: nobody checked it against the rest."""
    space = draw(SPACES)
    to = draw(st.sampled_from(sorted({"one", "two", "four"} - {space})))
    rule = NamespaceRule(draw(NAMES), RuleKind.EXACT, to=to, namespaces=(space,))
    name, dataset = draw(st.lists(KEYS, min_size=2, max_size=2, unique=True))
    apart = Separation.of(DatasetKey(*name), DatasetKey(*dataset))
    things: list[Decidable] = [rule, alias(name, dataset), apart]
    thing = draw(st.sampled_from(things))
    made = stewardship._decisions(wanted(thing), replace(ME, now=at(draw(st.integers(0, 2)))), ())
    if draw(st.booleans()):
        made.append(replace(made[0], content="", time=made[0].time + draw(st.integers(-1, 1))))
    return Batch(decisions=tuple(made))


def applied(url: str, parts: Sequence[Any]) -> str:
    store = open_store(url)
    try:
        for part in parts:
            if isinstance(part, Batch):
                store.apply(part)
            else:
                assert all(outcome.stored for outcome in ingest(store, [part], received=1))
        return digest(store)
    finally:
        store.close()


@st.composite
def histories(draw: st.DrawFn) -> tuple[list[Any], list[Any]]:
    one = draw(st.lists(st.one_of(few_events(), decisions()), min_size=1, max_size=6))
    again = draw(st.lists(st.sampled_from(one), max_size=2))
    return one, draw(st.permutations(one + again))


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(history=histories())
def test_events_and_decisions_in_any_order_give_the_same_store(
    tmp_path_factory: pytest.TempPathFactory, history: tuple[list[Any], list[Any]]
) -> None:
    folder = tmp_path_factory.mktemp("stores")
    one, other = history
    assert applied(f"sqlite:///{folder}/one.db", one) == applied(f"sqlite:///{folder}/other.db", other)


@pytest.mark.neo4j
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(history=histories())
def test_events_and_decisions_in_any_order_give_neo4j_the_state_of_sqlite(
    tmp_path_factory: pytest.TempPathFactory,
    neo4j_server: neo4j.Server,
    history: tuple[list[Any], list[Any]],
) -> None:
    one, other = history
    neo4j_server.wipe()
    folder = tmp_path_factory.mktemp("stores")
    assert applied(neo4j_server.url, other) == applied(f"sqlite:///{folder}/one.db", one)
