"""What a change of jobs does: their lineage before and after it, each from a file of events, compared."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater_cli.boundary import answers
from headwater_cli.questions.gaps import Gap, distinct
from headwater_cli.terminal.errors import CommandError

if TYPE_CHECKING:
    from headwater_backend.privacy.policies import Policy

Answer = Mapping[str, Any]
Dataset = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Side:
    """What is known before or after the change."""

    paths: Mapping[Dataset, frozenset[str]]
    """The known paths of each output."""
    held: Mapping[tuple[Any, ...], Answer]
    verdicts: Sequence[Answer]
    gaps: tuple[Gap, ...]
    classified: bool
    """Whether anybody has classified anything as personal."""


def side(store: Path, file: Path, rules: Mapping[str, Any], policies: Sequence[Policy]) -> Side:
    """What the file's events say, kept in this store. Raises ``CommandError`` for a file that cannot be used."""
    events = _events(file)
    client = answers.imported(store, file)
    paths, gaps = {}, []
    for namespace, name in _outputs(events):
        found = client.query("dataset", {"namespace": namespace, "name": name})["dataset"]
        paths[namespace, name] = frozenset(each["label"] for each in found["paths"] if each["path"])
        gaps += found["incomplete"]
    holdings = answers.held(client, rules)
    held = {_held_key(each): each for each in holdings.holdings}
    verdicts = answers.check(client, dict(rules), policies)["verdicts"] if policies else []
    gaps += [*holdings.answer["incomplete"], *(gap for each in verdicts for gap in each["incomplete"])]
    return Side(paths, held, verdicts, tuple(distinct(gaps)), holdings.classified)


def _events(file: Path) -> list[dict[str, Any]]:
    from headwater_cli.intake.event_lines import EventLines

    events = []
    for line in EventLines([file]):
        try:
            event = json.loads(line.text.decode("utf-8-sig"))
        except ValueError as error:
            event = line.wrong.detail if line.wrong else str(error)
        if not isinstance(event, dict):
            why = event if isinstance(event, str) else "no JSON object"
            raise CommandError("NOT_NDJSON", f"{file}:{line.number}: {why}; expected one event per line")
        events.append(event)
    if not events:
        raise CommandError(
            "NO_EVENTS", f"{file} has no events", "headwater plan --events FILE job.py writes them"
        )
    return events


def _outputs(events: Iterable[Mapping[str, Any]]) -> Iterator[Dataset]:
    """The datasets that the events write, in their order, each once."""
    found = ((each["namespace"], each["name"]) for event in events for each in event.get("outputs") or ())
    yield from dict.fromkeys(found)


def changes(base: Side, head: Side) -> dict[str, Any]:
    """What is gained and lost from one side to the other, and what of both is not known."""
    policies = [_policy(*each) for each in zip(base.verdicts, head.verdicts, strict=True)]
    return {
        "outcome": _outcome(policies, head),
        "outputs": list(_changed_outputs(base, head)),
        "personal": {
            "new": list(_newly_held(base.held, head.held)),
            "gone": [each for key, each in base.held.items() if key not in head.held],
        },
        "policies": policies,
        "incomplete": {"base": list(base.gaps), "head": list(head.gaps)},
    }


def is_incomplete(found: Answer) -> bool:
    """Whether something is not known on either side that concerns these jobs."""
    gaps = (gap for side in found["incomplete"].values() for gap in side)
    return bool(list(_own(gaps))) or any(each["notListed"] for each in found["policies"])


def _own(gaps: Iterable[Gap]) -> Iterator[Gap]:
    return (each for each in gaps if each["reason"] not in answers.OF_OTHERS)


def _changed_outputs(base: Side, head: Side) -> Iterator[dict[str, Any]]:
    for place in dict.fromkeys((*base.paths, *head.paths)):
        before, after = base.paths.get(place), head.paths.get(place)
        unknown = frozenset() in (before, after)
        if before != after:
            yield {
                "namespace": place[0],
                "name": place[1],
                "change": "NEW" if before is None else "GONE" if after is None else "CHANGED",
                "gained": [] if unknown else sorted((after or frozenset()) - (before or frozenset())),
                "lost": [] if unknown else sorted((before or frozenset()) - (after or frozenset())),
                "pathsUnknown": unknown,
            }


def _newly_held(before: Mapping[Any, Answer], after: Mapping[Any, Answer]) -> Iterator[dict[str, Any]]:
    for key, each in after.items():
        forms = before[key]["output"]["forms"] if key in before else []
        if set(each["output"]["forms"]) - set(forms):
            yield {**each, "before": forms}


def _policy(before: Answer, after: Answer) -> dict[str, Any]:
    """The verdicts on a policy, with the violations that one side alone has."""
    old = {_violation_key(each): each["forms"] for each in before["violations"]}
    keys = {_violation_key(each) for each in after["violations"]}
    new = [
        each
        for each in after["violations"]
        if _violation_key(each) not in old or set(each["forms"]) - set(old[_violation_key(each)])
    ]
    return {
        **{key: after[key] for key in ("policy", "category", "severity", "line", "incomplete")},
        "before": before["outcome"],
        "after": after["outcome"],
        "new": new,
        "ended": [each for each in before["violations"] if _violation_key(each) not in keys],
        "notListed": sum(each["violationCount"] - len(each["violations"]) for each in (before, after)),
    }


def _outcome(policies: Sequence[Answer], head: Side) -> str:
    """The outcome of the policies that decide: warnings and notes do not."""
    deciding = [each for each in policies if each["severity"] == "ERROR"]
    if any(each["new"] for each in deciding):
        return "VIOLATED"
    if not head.classified:
        return "UNCLASSIFIED"
    unknown = any(each["notListed"] or list(_own(each["incomplete"])) for each in deciding)
    return "UNKNOWN" if unknown else "SATISFIED"


def _held_key(holding: Answer) -> tuple[Any, ...]:
    attribute = holding["attribute"]
    return (
        *_node_key(attribute["node"]),
        tuple(attribute["categories"]),
        *_node_key(holding["output"]["node"]),
    )


def _violation_key(violation: Answer) -> tuple[Any, ...]:
    """What a violation is about; a pseudonym's is also about what makes it readable."""
    readable = violation["reidentification"]
    parts = [readable[each]["node"] for each in ("pseudonym", "source")] if readable else []
    ways = [readable["how"], *map(_node_key, parts)] if readable else []
    places = _node_key(violation["node"]), _node_key(violation["attribute"]["node"])
    return (*places, tuple(violation["outside"]), *ways)


def _node_key(node: Answer) -> tuple[str, str, tuple[str, ...]]:
    return node["namespace"], node["name"], tuple(node["path"])
