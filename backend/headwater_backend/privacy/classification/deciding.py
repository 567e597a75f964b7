"""Stewards' decisions about personal data: wishes are checked, and stored with their notes for the audit log.

Wishes that come together are stored in one transaction, or none of them is. What is already in force stays as it is. A
path has to be known, so that a misspelt name is never taken for a decision; to revoke one, it need not be known any
more. Stewards decide only in their namespaces.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from headwater_backend.domain.audit_log import AuditNote
from headwater_backend.domain.errors import BadQuestion, UnknownJob, UnmatchedRule
from headwater_backend.domain.model import DatasetKey, JobKey, NodeKey, PathSteps
from headwater_backend.domain.moments import micros
from headwater_backend.domain.records import Batch, DecisionMade
from headwater_backend.names.checks import require_few, require_namespaces, require_reason
from headwater_backend.names.decisions import newest, time_after
from headwater_backend.names.stewardship import Steward
from headwater_backend.ports import CataloguedGraph, Datasets, Jobs, LineageStore, NamedEdges
from headwater_backend.privacy.classification import categories
from headwater_backend.privacy.classification.decided import (
    CLASS,
    DECLASSIFIED,
    DECLASSIFIED_BY,
    REJECTED,
    REVIEWED,
    Decidable,
    Declassification,
    PathClass,
    Rejection,
    Reviewed,
    is_about_classes,
    place,
    present_names,
    subject_place,
    thing_of,
)
from headwater_backend.privacy.classification.place_patterns import covering, matches, why_idle
from headwater_backend.privacy.classification.rules import Rule
from headwater_backend.questions.resolving import did_you_mean, resolve_dataset, resolve_node

ACTION = "classes"
"""The action of an entry of the audit log about decisions about personal data."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The wishes of a steward: what to put in force, and what to revoke.

    ``revoked`` are paths whose classes and rejections end, ``reinstated`` paths, or paths by a job, whose
    declassifications end.
    """

    classes: tuple[PathClass, ...] = ()
    declassified: tuple[Declassification, ...] = ()
    rejected: tuple[NodeKey, ...] = ()
    revoked: tuple[NodeKey, ...] = ()
    reinstated: tuple[tuple[NodeKey, JobKey | None], ...] = ()


def decide(
    store: LineageStore, wanted: Wanted, steward: Steward, *, dry_run: bool = False
) -> tuple[DecisionMade, ...]:
    """Put the wishes in force, and return the decisions that were not yet.

    Raises ``BadQuestion``, ``Forbidden``, ``UnknownDataset``, ``UnknownPath``, ``UnknownJob``, ``UnknownCategory``.
    """
    require_reason(steward.reason)
    things = _things(store, wanted, steward)
    made: list[DecisionMade] = []

    def batch(decisions: Sequence[DecisionMade]) -> Batch:
        stand = {each.subject: each for each in newest(filter(is_about_classes, decisions)).values()}
        contents = {each.subject: each.content() for each in things}
        revoked = dict.fromkeys(_revoked(store, stand, wanted), "")
        for subject in contents.keys() & revoked.keys():
            raise BadQuestion(
                f"{place(subject_place(subject)[0])} is decided and revoked at once", "do one of them"
            )
        made[:] = _decisions({**contents, **revoked}, stand, steward)
        require_few(made)
        places = (subject_place(each.subject)[0] for each in made)
        require_namespaces({node.dataset.namespace for node in places}, steward.caller)
        return Batch(decisions=tuple(made), notes=tuple(_note(each, steward) for each in made))

    store.decide(batch, dry_run=dry_run)
    return tuple(made)


def classes_by_rules(store: NamedEdges, rules: Sequence[Rule]) -> tuple[PathClass, ...]:
    """The classes of all known paths that rules match. Raises ``UnmatchedRule`` for a rule that matches none."""
    covered_by = covering(store, rules)
    matched = list(matches(store, covered_by))
    used = {rule for _, rule in matched}
    for rule in rules:
        if rule not in used:
            idle = why_idle(store, rule, covered_by)
            raise UnmatchedRule(f"the rule in line {rule.line} fits {idle.detail}", idle.hint)
    found: dict[NodeKey, set[str]] = defaultdict(set)
    for node, rule in matched:
        found[node].add(rule.category)
    return tuple(PathClass(node, tuple(sorted(keys))) for node, keys in sorted(found.items()))


def _things(store: LineageStore, wanted: Wanted, steward: Steward) -> list[Decidable]:
    """What to put in force, at nodes under their datasets' own names."""
    given: list[Decidable] = [*wanted.classes, *wanted.declassified, *map(Rejection, wanted.rejected)]
    require_namespaces({thing.node.dataset.namespace for thing in given}, steward.caller)
    resolved = _Resolved(store)
    found: dict[str, Decidable] = {}
    for thing in given:
        _require_sense(store, thing, steward)
        own = resolved.thing(thing)
        other = found.setdefault(own.subject, own)
        if other != own:
            raise BadQuestion(f"{place(own.node)} is decided twice, in different ways", "decide it once")
    return list(found.values())


def _at(thing: Decidable, node: NodeKey) -> Decidable:
    match thing:
        case PathClass(_, keys, proposal):
            return PathClass(node, tuple(sorted(set(keys))), proposal)
        case Declassification(_, job, until):
            return Declassification(node, job, until)
        case Rejection():
            return Rejection(node)
        case Reviewed():
            return replace(thing, node=node)


class _Resolved:
    """Nodes under their datasets' own names; each dataset is looked up once."""

    def __init__(self, store: CataloguedGraph) -> None:
        self._store = store
        self._known: dict[DatasetKey, tuple[DatasetKey, frozenset[PathSteps]]] = {}

    def thing(self, thing: Decidable) -> Decidable:
        """The thing at its known node, or that a dataset as a whole is not personal, as reviewed with its paths.

        Raises ``BadQuestion``, ``UnknownDataset`` or ``UnknownPath``.
        """
        if thing.node.path:
            return _at(thing, self._node(thing.node))
        if not isinstance(thing, PathClass) or thing.categories:
            raise BadQuestion(
                f"{place(thing.node)} is a dataset, and no path", "name the paths that you mean"
            )
        own, paths = self._dataset(thing.node.dataset)
        return Reviewed(NodeKey(own, ()), paths)

    def _dataset(self, key: DatasetKey) -> tuple[DatasetKey, frozenset[PathSteps]]:
        """The dataset's own name, and its paths."""
        if key not in self._known:
            own = resolve_dataset(self._store, key).key
            self._known[key] = own, frozenset(self._store.paths([own])[own])
        return self._known[key]

    def _node(self, node: NodeKey) -> NodeKey:
        own, paths = self._dataset(node.dataset)
        return NodeKey(own, node.path) if node.path in paths else resolve_node(self._store, node)


def _require_sense(store: Jobs, thing: Decidable, steward: Steward) -> None:
    match thing:
        case PathClass(_, keys, _):
            for key in keys:
                if not categories.is_personal(categories.checked(key)):
                    raise BadQuestion(
                        f"{key!r} is no category of personal data",
                        "name user or a kind of it, or no category if the path is not personal",
                    )
        case Declassification(_, job, until):
            if until is not None and until <= steward.now:
                raise BadQuestion(f"{until.isoformat()} is in the past", "declassify until a later time")
            if job is not None and job not in store.get_jobs([job]):
                raise UnknownJob(f"no job {job.name!r} exists in namespace {job.namespace!r}")
        case Rejection() | Reviewed():
            pass


def _revoked(store: Datasets, stand: dict[str, DecisionMade], wanted: Wanted) -> Iterator[str]:
    """The subjects to revoke, by all names of their datasets. Raises ``BadQuestion`` where there is none."""
    if not (wanted.revoked or wanted.reinstated):
        return
    alive = {subject: subject_place(subject) for subject, made in stand.items() if made.content}
    asked: list[tuple[NodeKey, JobKey | None, tuple[str, ...]]]
    asked = [(node, None, (CLASS, REJECTED, REVIEWED)) for node in wanted.revoked]
    asked += [(node, job, (DECLASSIFIED, DECLASSIFIED_BY)) for node, job in wanted.reinstated]
    nodes = [*(node for node, _ in alive.values()), *(node for node, *_ in asked)]
    names = present_names(store, {node.dataset for node in nodes})
    for node, job, kinds in asked:
        wished = names.get(node.dataset, node.dataset), node.path, job
        of_kind = {subject: at for subject, at in alive.items() if subject.startswith(kinds)}
        found = [
            subject
            for subject, (at, by) in of_kind.items()
            if (names.get(at.dataset, at.dataset), at.path, by) == wished
        ]
        if not found:
            what = "decision about the class" if CLASS in kinds else "declassification"
            by = f" by the job {job.name!r}" if job else ""
            hint = did_you_mean(place(node), (place(at) for at, _ in of_kind.values()))
            raise BadQuestion(f"no {what} of {place(node)}{by} is in force", hint)
        yield from found


def _decisions(
    contents: dict[str, str], stand: dict[str, DecisionMade], steward: Steward
) -> list[DecisionMade]:
    now = micros(steward.now)
    return [
        DecisionMade(
            subject,
            time_after(stand.get(subject), now),
            content,
            steward.caller.name,
            steward.reason,
        )
        for subject, content in contents.items()
        if (stand[subject].content if subject in stand else "") != content
    ]


def _note(made: DecisionMade, steward: Steward) -> AuditNote:
    node, job = subject_place(made.subject)
    details = {"path": place(node), "reason": made.reason}
    if job:
        details["job"] = " ".join(job)
    match thing_of(made):
        case PathClass(_, keys, _):
            result = "classified" if keys else "not personal"
            details["categories"] = ", ".join(keys)
        case Declassification(_, _, until):
            result = "declassified"
            details["until"] = until.isoformat() if until else ""
        case Rejection():
            result = "proposal rejected"
        case Reviewed(_, paths):
            result = "nothing personal"
            details["paths"] = str(len(paths))
        case None:
            result = "revoked"
            details["what"] = made.subject.partition(" ")[0]
    return AuditNote(steward.caller.name, ACTION, result, steward.request, details)
