"""A finding: a violation of a policy, from when it is noticed on.

A finding is a policy, an attribute and a path that holds it; of a pseudonym that is readable in the rows of a dataset,
by a key table, also that pseudonym. Each change of its state is a record in the store
(``domain.records.DecisionMade``) that is never changed or deleted; the newest one is in force::

    OPEN           the violation was noticed, or noticed again, or the data are in a stronger form or another country,
                   or easier to read, or what barred them before it was acknowledged is not the same any more
    ACKNOWLEDGED   somebody knows of it and lets it be
    RESOLVED       somebody says that it is mended; it opens again if it is noticed again
    CLEARED        it is certain that the violation is not there any more
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum
from typing import Any, Final, NamedTuple

from headwater_backend.domain.model import JobKey, NodeKey
from headwater_backend.domain.moments import moment
from headwater_backend.domain.node_keys import node_of, node_text
from headwater_backend.domain.records import DecisionMade
from headwater_backend.names.decisions import newest as newest_records
from headwater_backend.privacy.forms import Form
from headwater_backend.privacy.held_attributes import HeldAttribute
from headwater_backend.privacy.policies import Policy, Severity
from headwater_backend.privacy.reidentified import How, Reidentification
from headwater_backend.questions.active.passing import Barred
from headwater_facets.canonical_json import canonical

FINDING: Final = "finding "
HEADWATER: Final = "headwater"
"""The actor of changes that nobody decided."""


class State(str, Enum):
    """What is known of a violation, and was done about it."""

    OPEN = "OPEN"
    ACKNOWLEDGED = "ACKNOWLEDGED"
    RESOLVED = "RESOLVED"
    CLEARED = "CLEARED"


PRESENT: Final = (State.OPEN, State.ACKNOWLEDGED)
"""The states of violations that are there, as far as is known."""


class Readable(NamedTuple):
    """How a pseudonym is readable: by the source, which is the attribute in that form."""

    how: How
    pseudonym: NodeKey
    source: NodeKey
    form: Form

    @classmethod
    def of(cls, found: Reidentification) -> Readable:
        """How that one is readable."""
        return cls(found.how, found.pseudonym.node, found.source.node, found.source.form)

    @classmethod
    def parse(cls, content: Mapping[str, str]) -> Readable:
        """What ``content`` describes."""
        return cls(
            How(content["how"]),
            node_of(content["pseudonym"]),
            node_of(content["source"]),
            Form[content["form"]],
        )

    @property
    def content(self) -> dict[str, str]:
        """Its part of a record."""
        return {
            "how": self.how.value,
            "pseudonym": node_text(self.pseudonym),
            "source": node_text(self.source),
            "form": self.form.name,
        }

    @property
    def difficulty(self) -> tuple[bool, Form]:
        """How hard it is to read; the less, the easier."""
        return self.how is How.SAME_DATASET, self.form


@dataclass(frozen=True, slots=True)
class Finding:
    """A violation and its state; ``forms`` are the strongest first, ``jobs`` brought the attribute to the path.

    ``countries`` are those in which the policy does not permit it. With ``readable``, the violation is that a pseudonym
    of the attribute is. ``barred`` is why no row can bring the attribute there, if that was asked for.
    """

    policy: str
    category: str
    severity: Severity
    attribute: NodeKey
    node: NodeKey
    forms: tuple[Form, ...]
    jobs: tuple[JobKey, ...]
    state: State = State.OPEN
    countries: tuple[str, ...] = ()
    readable: Readable | None = None
    barred: Barred | None = None

    @classmethod
    def of(cls, policy: Policy, held: HeldAttribute) -> Finding:
        """The finding of that violation of the policy, open."""
        attribute = held.attribute.node
        return cls(
            policy=policy.name,
            category=policy.category,
            severity=policy.severity,
            attribute=attribute,
            node=held.node,
            forms=held.forms,
            jobs=held.jobs,
            countries=held.outside,
            readable=Readable.of(held.reidentification) if held.reidentification else None,
            barred=held.barred,
        )

    @property
    def id(self) -> str:
        """The same for the same policy, attribute and path, and the same pseudonym that is readable."""
        parts = [self.policy, node_text(self.attribute), node_text(self.node)]
        if self.readable:
            parts.append(node_text(self.readable.pseudonym))
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]

    @property
    def nodes(self) -> tuple[NodeKey, ...]:
        """All paths that it names."""
        more = (self.readable.pseudonym, self.readable.source) if self.readable else ()
        return (self.attribute, self.node, *more)

    def in_state(self, state: State) -> Finding:
        """The finding in that state."""
        return replace(self, state=state)

    def record(self, time: int, actor: str, reason: str) -> DecisionMade:
        """The record of its state at that time, in microseconds since 1970."""
        content: dict[str, Any] = {
            "policy": self.policy,
            "category": self.category,
            "severity": self.severity.value,
            "attribute": node_text(self.attribute),
            "node": node_text(self.node),
            "forms": [form.name for form in self.forms],
            "jobs": [list(job) for job in self.jobs],
            "state": self.state.value,
            **({"countries": list(self.countries)} if self.countries else {}),
            **({"readable": self.readable.content} if self.readable else {}),
            **({"barred": _content(self.barred)} if self.barred else {}),
        }
        return DecisionMade(FINDING + self.id, time, canonical(content), actor, reason)


@dataclass(frozen=True, slots=True)
class Change:
    """A finding as it is since a time; ``noticed`` is when it was first noticed, or noticed again after it was gone."""

    finding: Finding
    noticed: datetime
    time: datetime
    actor: str
    reason: str
    record: DecisionMade


def parse(record: DecisionMade) -> Finding:
    """The finding that the record is about, in its state."""
    content = json.loads(record.content)
    return Finding(
        policy=content["policy"],
        category=content["category"],
        severity=Severity(content["severity"]),
        attribute=node_of(content["attribute"]),
        node=node_of(content["node"]),
        forms=tuple(Form[name] for name in content["forms"]),
        jobs=tuple(JobKey(*job) for job in content["jobs"]),
        state=State(content["state"]),
        countries=tuple(content.get("countries", ())),
        readable=Readable.parse(content["readable"]) if "readable" in content else None,
        barred=_barred(content["barred"]) if "barred" in content else None,
    )


def _content(barred: Barred) -> dict[str, Any]:
    return {"because": list(barred.because), "version": barred.version}


def _barred(content: Mapping[str, Any]) -> Barred:
    return Barred(tuple(content["because"]), content["version"])


def changes(records: Iterable[DecisionMade]) -> list[Change]:
    """All changes of findings among the records, oldest first."""
    found: list[Change] = []
    noticed: dict[str, datetime] = {}
    gone: set[str] = set()
    for record in sorted((each for each in records if each.subject.startswith(FINDING)), key=_order):
        finding, time = parse(record), moment(record.time)
        if finding.id in gone or finding.id not in noticed:
            noticed[finding.id] = time
        (gone.add if finding.state is State.CLEARED else gone.discard)(finding.id)
        found.append(Change(finding, noticed[finding.id], time, record.actor, record.reason, record))
    return found


def newest(records: Iterable[DecisionMade]) -> dict[str, Change]:
    """Each finding's newest change, by its id."""
    return {change.finding.id: change for change in changes(records)}


def counts(records: Iterable[DecisionMade]) -> Counter[tuple[Severity, State]]:
    """The number of findings by severity and state; cheaper than to read each whole."""
    contents = (
        json.loads(record.content)
        for record in newest_records(each for each in records if each.subject.startswith(FINDING)).values()
    )
    return Counter((Severity(content["severity"]), State(content["state"])) for content in contents)


def _order(record: DecisionMade) -> tuple[int, str, str]:
    return record.time, record.subject, record.content
