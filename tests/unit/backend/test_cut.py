"""The least changes that end violations equal those that trying all sets finds, over small random graphs."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from typing import Any

import pytest

from headwater_backend.domain.errors import RulesError
from headwater_backend.domain.model import JobKey
from headwater_backend.privacy.cut.changes import NEVER, Change, Kind
from headwater_backend.privacy.cut.costs_file import parse_costs
from headwater_backend.privacy.cut.cut import Cuts, least_cuts
from headwater_backend.privacy.cut.solving import Chosen
from headwater_backend.privacy.exposure import Ruling
from headwater_backend.privacy.files import parse_policies
from headwater_backend.privacy.forms import Form
from headwater_backend.privacy.policies import Policy
from kit.memory_store import MemoryStore, edge, graph, node

KINDS = ["IDENTITY", "IDENTITY", "IDENTITY", "COMPUTE", "SUM", "HASH", "DRIVER", "IDENTITY+HASH"]
OF_KIND = {
    "IDENTITY": Form.IDENTITY,
    "COMPUTE": Form.TRANSFORMED,
    "SUM": Form.AGGREGATED,
    "HASH": Form.PSEUDONYMISED,
    "DRIVER": Form.POSSIBLE,
}
AFTER = {Kind.MASK: Form.MASKED, Kind.AGGREGATE: Form.AGGREGATED}
FORBIDDEN = [
    ("user", "allow: [aggregated, masked, influenced]"),
    ("user.contact", "allow: [pseudonymised, aggregated, masked, influenced]"),
    ("user.name", "allow: [masked, possible, influenced]"),
    ("user", "allow: [influenced]"),
]
Drawn = tuple[str, str, str, str]
"""Source, kinds, target and job of an edge."""


Changes = Mapping[tuple[str, str], Kind]
Items = frozenset[tuple[tuple[str, str], Kind]]


def drawn_edges(chance: random.Random) -> list[Drawn]:
    """A few edges between leaves, by at most three jobs; cycles and parallel edges are among them."""
    names = "abcdef"[: chance.randint(3, 6)]
    ends = {}
    for _ in range(chance.randint(2, 9)):
        source, target = chance.sample(names, 2)
        ends[source, target, chance.choice("PQR")] = chance.choice(KINDS)
    drawn = [(source, kinds, target, job) for (source, target, job), kinds in ends.items()]
    return drawn if len({(job, target) for _, _, target, job in drawn}) <= 5 else drawn[:5]


def drawn_policies(chance: random.Random, names: Sequence[str]) -> tuple[Policy, ...]:
    """One or two policies of one or all datasets."""
    chosen = chance.sample(FORBIDDEN, chance.randint(1, 2))
    return parse_policies(
        "".join(
            f"- {{policy: p{number}, category: {category}, dataset: 'ns {chance.choice([*names, '?'])}', {allowed}}}\n"
            for number, (category, allowed) in enumerate(chosen)
        )
    )


def as_items(chosen: Chosen) -> Items:
    return frozenset(
        ((each.place.job.name, each.place.node.dataset.name), each.kind) for each in chosen.changes
    )


def costs_of(chance: random.Random) -> tuple[str, dict[tuple[str, Kind], float]]:
    """A file of costs, and what it says of each job and kind."""
    kinds = {kind: chance.randint(1, 4) for kind in Kind}
    jobs: dict[str, int | None] = {job: chance.choice([1, 1, 2, 3, None]) for job in "PQR"}
    owners = chance.choice([1, 1, 5])
    lines = ", ".join(f"{kind.name.lower()}: {cost}" for kind, cost in kinds.items())
    factors = ", ".join(f'"ns {job}": {factor or "never"}' for job, factor in jobs.items())
    text = f"kinds: {{{lines}}}\njobs: {{{factors}}}\nowners: {{team: {owners}}}\n"
    return text, {
        (job, kind): NEVER if factor is None else cost * factor * (owners if job == "P" else 1)
        for job, factor in jobs.items()
        for kind, cost in kinds.items()
    }


def reached(edges: Sequence[Drawn], start: str, changes: Changes) -> set[tuple[str, Form]]:
    """Where a value arrives, in which forms, after the changes: by following each edge in turn."""
    found: set[tuple[str, Form]] = set()
    waiting = [(start, Form.IDENTITY)]
    while waiting:
        at, form = waiting.pop()
        for source, kinds, target, job in edges:
            change = changes.get((job, target))
            if source != at or change is Kind.DROP:
                continue
            for kind in kinds.split("+"):
                after = max(form, OF_KIND[kind], AFTER[change] if change else Form.IDENTITY)
                if (target, after) not in found:
                    found.add((target, after))
                    waiting.append((target, after))
    return found


def violated(
    edges: Sequence[Drawn],
    personal: Mapping[str, str],
    policies: Iterable[Policy],
    wrong: set[tuple[str, str, str]],
    changes: Changes,
) -> bool:
    """Whether one of the wrong triples of policy, attribute and place is so after the changes."""
    for policy in policies:
        for start in personal:
            for target, form in reached(edges, start, changes):
                if (policy.name, start, target) in wrong and policy.forbids(form):
                    return True
    return False


def cheapest(
    edges: Sequence[Drawn], costs: Mapping[tuple[str, Kind], float], ended: Callable[[Changes], bool]
) -> list[tuple[float, Items]]:
    """All sets of changes that end what is wrong and contain no other one, the cheapest first."""
    places = sorted({(job, target) for _, _, target, job in edges})
    sets = []
    for kinds in product([None, *Kind], repeat=len(places)):
        changes = {place: kind for place, kind in zip(places, kinds, strict=True) if kind}
        cost = sum(costs[job, kind] for (job, _), kind in changes.items())
        if math.isfinite(cost):
            sets.append((cost, changes))
    sets.sort(key=lambda each: (each[0], len(each[1])))
    found: list[tuple[float, Items]] = []
    for cost, changes in sets:
        items = frozenset(changes.items())
        if not any(other <= items for _, other in found) and ended(changes):
            found.append((cost, items))
    return found


def judge(chance: random.Random) -> None:
    """Draw a graph, and compare its cuts with what trying all sets finds."""
    edges = drawn_edges(chance)
    names = sorted({each for source, _, target, _ in edges for each in (source, target)})
    categories = ("user.contact.email", "user.name")
    personal = {each: chance.choice(categories) for each in chance.sample(names, chance.randint(1, 2))}
    text, costs = costs_of(chance)
    policies = drawn_policies(chance, names)
    store = MemoryStore(
        [edge(f"{source}:x -{kinds}-> {target}:x @{job}") for source, kinds, target, job in edges],
        tags=[(node(f"{each}:x"), "data_category", category) for each, category in personal.items()],
        facets={JobKey("ns", "P"): {"ownership": {"owners": [{"name": "team"}]}}},
    )
    found = least_cuts(store, policies, Ruling(lenient=True), costs=parse_costs(text), alternatives=20)
    wrong = {
        (policy.name, start, target)
        for policy in policies
        for start in personal
        if personal[start].startswith(policy.category)
        for target, form in reached(edges, start, {})
        if policy.covers(node(target).dataset) and policy.forbids(form) and target != start
    }
    assert wrong == {
        (each.policy.name, each.held.attribute.node.dataset.name, each.held.node.dataset.name)
        for cut in found.cuts
        for each in cut.violations
    }

    def ended(changes: Changes) -> bool:
        return not violated(edges, personal, policies, wrong, changes)

    expected = cheapest(edges, costs, ended)
    if not expected:
        assert any(not cut.alternatives for cut in found.cuts)
        return
    assert sum(cut.alternatives[0].cost for cut in found.cuts) == expected[0][0], (edges, text, policies)
    for cut in found.cuts if len(found.cuts) == 1 else ():
        ours = [(each.cost, as_items(each)) for each in cut.alternatives]
        assert [cost for cost, _ in ours] == [cost for cost, _ in expected[:20]]
        assert {items for _, items in ours[:-1]} <= {items for _, items in expected}


@pytest.mark.parametrize("seed", range(20))
def test_cuts_are_those_that_trying_all_sets_finds(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(50):
        judge(chance)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20, 80))
def test_cuts_of_more_graphs_are_those_that_trying_all_sets_finds(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(50):
        judge(chance)


def cuts(edges: str, policy: str, costs: str = "", **asked: Any) -> Cuts:
    """The cuts of a graph in which t:mail is personal."""
    store = MemoryStore(graph(edges), tags=[(node("t:mail"), "data_category", "user.contact.email")])
    return least_cuts(store, parse_policies(policy), Ruling(lenient=True), costs=parse_costs(costs), **asked)


def written(found: Cuts) -> list[list[str]]:
    """The alternatives of the only cut."""
    (cut,) = found.cuts
    return [[str_of(change) for change in each.changes] for each in cut.alternatives]


def str_of(change: Change) -> str:
    place, kind = change
    return f"{kind.name} {place.node.dataset.name}:{'.'.join(place.node.path)} @{place.job.name}"


OUTPUTS = "- {policy: p, category: user, dataset: 'ns out*'}"


def test_one_change_before_ways_part_is_cheaper_than_one_on_each() -> None:
    edges = """
        t:mail -IDENTITY-> a:mail @load
        a:mail -IDENTITY-> out1:mail @one
        a:mail -COMPUTE-> out2:mail @two
    """
    assert written(cuts(edges, OUTPUTS))[0] == ["MASK a:mail @load"]
    dear = written(cuts(edges, OUTPUTS, "jobs: {'* load': 10}", alternatives=1))
    assert dear == [["MASK out1:mail @one", "MASK out2:mail @two"]]


def test_what_is_masked_and_then_perhaps_named_by_a_program_is_dropped() -> None:
    edges = "t:mail -IDENTITY-> a:mail @load\na:mail -DRIVER-> out1:mail @program"
    assert written(cuts(edges, OUTPUTS, "jobs: {'* program': never}")) == [["DROP a:mail @load"]]


def test_what_a_job_filters_by_is_ended_by_leaving_it_out() -> None:
    policy = "- {policy: p, category: user, dataset: 'ns out*', allow: [masked]}"
    (cut,) = cuts("t:mail -FILTER-> out1 @report\nt:x -IDENTITY-> out1:x @report", policy).cuts
    assert {change.kind for each in cut.alternatives for change in each.changes} == {Kind.DROP}


def test_structs_are_cut_where_they_are_written() -> None:
    edges = "t:mail -IDENTITY-> a:person.mail @load\na:person -IDENTITY-> out1:who @copy"
    assert ["MASK a:person.mail @load"] in written(cuts(edges, OUTPUTS))


def test_what_is_declared_where_it_may_not_be_is_kept() -> None:
    found = cuts("t:mail -IDENTITY-> u:mail @load", "- {policy: p, category: user, dataset: 'ns *'}")
    assert [each.held.node for each in found.kept] == [node("t:mail")]
    assert [each.held.node for cut in found.cuts for each in cut.violations] == [node("u:mail")]


def test_each_violation_is_cut_by_itself_when_asked() -> None:
    edges = "t:mail -IDENTITY-> out1:mail @one\nout1:mail -IDENTITY-> out2:mail @two"
    assert [len(each.violations) for each in cuts(edges, OUTPUTS).cuts] == [2]
    assert [len(each.violations) for each in cuts(edges, OUTPUTS, each=True).cuts] == [1, 1]
    at = cuts(edges, OUTPUTS, at=node("out2:mail"))
    assert [each.held.node for cut in at.cuts for each in cut.violations] == [node("out2:mail")]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("kinds: {mask: 0}", 1),
        ("jobs:\n  a: b", 2),
        ("jobs: [a]", 1),
        ("what: 1", 1),
        ("kinds: {hide: 1}", 1),
    ],
)
def test_wrong_costs_are_refused_with_their_line(text: str, line: int) -> None:
    with pytest.raises(RulesError) as raised:
        parse_costs(text)
    assert raised.value.line == line
