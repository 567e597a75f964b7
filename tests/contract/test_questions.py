"""Questions over each store: the same answers as from a graph in memory, and those of the running example."""

from __future__ import annotations

import random
from typing import Any

import pytest
from starlette.testclient import TestClient

from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.model import Direction, NodeKey
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.answers.policy_check import Outcome, check_policies
from headwater_backend.privacy.exposure import Ruling, exposed, exposure
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.privacy.files import parse_policies
from headwater_backend.privacy.forms import Form
from headwater_backend.privacy.holdings import holdings
from headwater_backend.privacy.snapshots import Snapshots
from headwater_backend.questions.closure import Reach, backward, forward, lineage
from headwater_backend.questions.traversal import ALL_TYPES, DIRECT_ONLY, Bounds
from headwater_backend.settings import Settings
from headwater_cli.composition import create_app
from headwater_graphql.queries import queries
from kit.memory_store import MemoryStore
from kit.openlineage import NAMESPACE, dataset, event, facet, node, paths, written

SCHEMA = ("x", "y", ("s", ["p", ("q", ["r"])]))
PATHS = [("x",), ("y",), ("s",), ("s", "p"), ("s", "q"), ("s", "q", "r")]
DATASETS = ["a", "b", "c", "d"]


def take(store: LineageStore, *events: dict[str, Any]) -> None:
    for outcome in ingest(store, events):
        assert outcome.error is None


def input_field(direct: str, name: str, path: tuple[str, ...], subtype: str) -> dict[str, Any]:
    """One input of a ``headwater_pathLineage`` facet."""
    kind = {"type": direct, "subtype": subtype, "masking": False}
    return {"namespace": NAMESPACE, "name": name, "path": list(path), "transformations": [kind]}


def random_jobs(chance: random.Random, count: int) -> list[dict[str, Any]]:
    """Jobs that copy, compute and filter between nested datasets, in cycles too."""
    jobs = []
    for number in range(count):
        source, target = chance.choice(DATASETS), chance.choice(DATASETS)
        entries = [
            (
                chance.choice(PATHS),
                source,
                chance.choice(PATHS),
                chance.choice(["IDENTITY", "TRANSFORMATION"]),
            )
            for _ in range(3)
        ]
        filters = (
            [input_field("INDIRECT", source, chance.choice(PATHS), "FILTER")] if chance.random() < 0.5 else []
        )
        path_lineage = paths(*entries, dataset=filters)
        nested = chance.random() < 0.7
        schema = SCHEMA if nested else ("x", "y", "s")
        output = dataset(target, *schema, headwater_pathLineage=path_lineage)
        jobs.append(
            event("COMPLETE", 1, f"run{number}", [dataset(source, *schema)], [output], f"job{number}")
        )
    return jobs


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_store_answers_as_a_graph_in_memory_does(store: LineageStore, seed: int) -> None:
    chance = random.Random(seed)
    take(store, *random_jobs(chance, 12))
    keys = store.dataset_keys()
    known = [NodeKey(key, path) for key in keys for path in [(), *store.paths([key])[key]]]
    edges = store.neighbours([NodeKey(key, ()) for key in keys], Direction.BACKWARD, ALL_TYPES).edges(
        Direction.BACKWARD
    )
    memory = MemoryStore(edges, paths=known, incomplete=store.incomplete(keys))
    for start in chance.sample(known, 8):
        for direction in Direction:
            for types in (DIRECT_ONLY, ALL_TYPES):
                for bounds in (Bounds(), Bounds(depth=1)):
                    expected = lineage(memory, start, direction, types, bounds)
                    assert lineage(store, start, direction, types, bounds) == expected


TWEET = (
    "text",
    "retweet_count",
    ("user", ["id_str", "name"]),
    ("entities", [("user_mentions", [("_element", ["id_str", "name"])])]),
)
MENTION = ("entities", "user_mentions", "_element")


def users() -> dict[str, Any]:
    """The running example: tweets and mentions united, grouped by user, their texts collected."""
    both = [
        {"path": ["user", name], "inputFields": [
            input_field("DIRECT", "tweets", ("user", name), "IDENTITY"),
            input_field("DIRECT", "tweets", (*MENTION, name), "IDENTITY"),
        ]}
        for name in ("id_str", "name")
    ]  # fmt: skip
    nest = {**input_field("DIRECT", "tweets", ("text",), "AGGREGATION")}
    nest["transformations"][0]["manipulation"] = ["NEST"]
    grouped = [("user", "id_str"), ("user", "name"), (*MENTION, "id_str"), (*MENTION, "name")]
    influences = [input_field("INDIRECT", "tweets", path, "GROUP_BY") for path in grouped]
    path_lineage = facet(
        fields=[*both, {"path": ["tweets", "_element", "text"], "inputFields": [nest]}],
        dataset=[input_field("INDIRECT", "tweets", ("retweet_count",), "FILTER"), *influences],
        complete=True,
        incomplete=[],
    )
    tags = facet(
        tags=[{"key": "data_category", "value": "user.name", "source": "CONFIG", "field": "user.name"}]
    )
    output = dataset(
        "users",
        ("user", ["id_str", "name"]),
        ("tweets", [("_element", ["text"])]),
        headwater_pathLineage=path_lineage,
    )
    return event("COMPLETE", 1, "run", [dataset("tweets", *TWEET, tags=tags)], [output], "group_users")


def mailing() -> dict[str, Any]:
    """A second job, which knows no nesting: it copies the column ``user`` and hashes its name."""
    path_lineage = paths((["who"], "users", ["user"], "IDENTITY"))
    token = input_field("DIRECT", "users", ("user", "name"), "TRANSFORMATION")
    token["transformations"][0]["masking"] = True
    path_lineage["fields"].append({"path": ["token"], "inputFields": [token]})
    output = dataset("mailing", "who", "token", headwater_pathLineage=path_lineage)
    return event("COMPLETE", 2, "run2", [dataset("users")], [output], "mail")


def test_the_running_example_backward(store: LineageStore) -> None:
    take(store, users())
    answer = backward(store, node("users", "user", "id_str"))
    assert {written(n.key) for n in answer.nodes} == {
        "users:user/id_str",
        "tweets:user/id_str",
        "tweets:entities/user_mentions/_element/id_str",
    }
    assert {t.subtype for edge in answer.edges for t in edge.transformations} == {"IDENTITY"}
    assert answer.complete


def test_the_running_example_with_its_influences(store: LineageStore) -> None:
    take(store, users())
    answer = backward(store, node("users", "tweets", "_element", "text"), ALL_TYPES)
    reached = {written(n.key): n.reach for n in answer.nodes if n.distance == 1}
    assert reached["tweets:text"] is Reach.DIRECT
    assert reached["tweets:retweet_count"] is Reach.INFLUENCED
    kinds = {t.subtype for edge in answer.edges for t in edge.transformations if edge.target == node("users")}
    assert kinds == {"FILTER", "GROUP_BY"}
    assert len(answer.nodes) == 1 + 1 + 1 + 1 + 4


def test_a_second_job_without_nesting_is_found_by_containment(store: LineageStore) -> None:
    take(store, users(), mailing())
    answer = backward(store, node("mailing", "who"))
    assert "tweets:user/name" in {written(n.key) for n in answer.nodes}
    answer = forward(store, node("tweets", "user", "name"))
    assert {"users:user/name", "mailing:who", "mailing:token"} <= {written(n.key) for n in answer.nodes}


def test_the_exposure_of_a_tagged_field(store: LineageStore) -> None:
    take(store, users(), mailing())
    (name,) = exposure(store, influenced=True).attributes
    assert (name.attribute.node, name.attribute.categories) == (
        node("tweets", "user", "name"),
        ("user.name",),
    )
    forms = {written(out.node): out.form for out in name.outputs}
    assert forms["users:user/name"] is Form.IDENTITY
    assert forms["mailing:token"] is Form.PSEUDONYMISED
    assert forms["users:"] is Form.INFLUENCED
    token = next(out for out in name.outputs if out.node == node("mailing", "token"))
    assert [edge.job.name for edge in token.witness] == ["group_users", "mail"]


def test_a_policy_is_checked_against_what_arrived(store: LineageStore) -> None:
    take(store, users(), mailing())
    of_names = "- {policy: p, category: user.name, dataset: {namespace: '*', name: mailing}, allow: [%s]}"
    found = check_policies(store, parse_policies(of_names % "pseudonymised, influenced"), Ruling())
    assert found.outcome is Outcome.VIOLATED
    (violation,) = found.verdicts[0].violations
    assert (written(violation.node), violation.forms) == ("mailing:who", (Form.IDENTITY,))
    assert [edge.job.name for edge in violation.witness] == ["group_users", "mail"]
    allowed = check_policies(
        store, parse_policies(of_names % "identity, pseudonymised, influenced"), Ruling()
    )
    assert allowed.outcome is not Outcome.VIOLATED


def test_graphql_has_the_same_answer(store: LineageStore) -> None:
    take(store, users(), mailing())
    asked = {"namespace": NAMESPACE, "name": "users", "path": ["user", "id_str"]}
    with TestClient(create_app(store, Settings()), base_url="http://localhost") as client:
        answer = client.post(
            "/graphql",
            json={
                "query": queries()["backward"],
                "variables": {"node": asked, "types": ["DIRECT", "INDIRECT"]},
            },
        ).json()["data"]["backwardLineage"]
    assert {n["label"] for n in answer["nodes"] if n["reach"] == "DIRECT"} == {
        "user.id_str",
        "users",
        "entities.user_mentions[].id_str",
    }
    assert answer["nodes"][0] == {**asked, "label": "user.id_str", "distance": 0, "reach": "DIRECT"}


def test_what_arrived_at_a_dataset_is_listed_with_its_form_and_its_origin(store: LineageStore) -> None:
    take(store, users(), mailing())
    report = exposed(store, Scope(at=node("mailing")))
    (name,) = report.attributes
    assert name.attribute.node == node("tweets", "user", "name")
    forms = {written(out.node): out.form for out in name.outputs}
    assert forms == {"mailing:who": Form.IDENTITY, "mailing:token": Form.PSEUDONYMISED}
    (token,) = exposed(store, Scope(at=node("mailing", "token"))).attributes
    assert [written(out.node) for out in token.outputs] == ["mailing:token"]


def test_holdings_come_in_pages_that_are_the_whole_together(store: LineageStore) -> None:
    take(store, users(), mailing())
    scope, snapshots = Scope(influenced=True), Snapshots()
    whole = holdings(store, scope, Ruling(), snapshots, first=100)
    found, after = [], None
    while True:
        page = holdings(store, scope, Ruling(), snapshots, first=2, after=after)
        found += [(each.output.node, each.output.form) for each in page.items]
        after = page.items[-1].cursor
        assert page.report.count == len(whole.items)
        if not page.has_next:
            break
    assert found == [(each.output.node, each.output.form) for each in whole.items]
    elsewhere = holdings(store, scope, Ruling(), Snapshots(), first=100, after=whole.items[0].cursor)
    assert len(elsewhere.items) == len(whole.items) - 1
    with pytest.raises(BadQuestion):
        holdings(store, Scope(), Ruling(), snapshots, after=whole.items[0].cursor)
