"""Recording of findings: what a check of policies noticed, and what people decide."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timezone
from typing import Final

from headwater_backend.domain.audit_log import AuditNote
from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.moments import micros
from headwater_backend.domain.records import Batch, DecisionMade
from headwater_backend.names.checks import require_reason
from headwater_backend.names.stewardship import Steward
from headwater_backend.ports import Names
from headwater_backend.privacy.answers.policy_check import PolicyCheck, Verdict
from headwater_backend.privacy.findings.finding import HEADWATER, PRESENT, Change, Finding, State, newest

ACTION: Final = "findings"
"""The action of an entry of the audit log about findings."""
_DECIDABLE: Final = (State.ACKNOWLEDGED, State.RESOLVED)


def record(store: Names, check: PolicyCheck, now: datetime | None = None) -> list[DecisionMade]:
    """Store what has changed in the findings by that check, in one transaction, and return it."""
    made: list[DecisionMade] = []

    def batch(records: Sequence[DecisionMade]) -> Batch:
        known = newest(records)
        time = micros(now or datetime.now(timezone.utc))
        changed = [*_noticed(check.verdicts, known), *_cleared(check.verdicts, known)]
        made[:] = [
            finding.record(_after(known.get(finding.id), time), HEADWATER, reason)
            for finding, reason in changed
        ]
        if not changed:
            return Batch()
        states = [finding.state.value for finding, _ in changed]
        details = {"findings": {state: states.count(state) for state in sorted(set(states))}}
        return Batch(
            decisions=tuple(made), notes=(AuditNote(HEADWATER, ACTION, "recorded", details=details),)
        )

    store.decide(batch)
    return made


def decide(store: Names, ids: Sequence[str], state: State, steward: Steward) -> list[Change]:
    """Put the findings in that state, all or none, and return them; what is so already, for that reason, stays.

    Raises ``BadQuestion``.
    """
    if state not in _DECIDABLE:
        raise BadQuestion(f"nobody decides that a finding is {state.value}", "acknowledge it, or resolve it")
    require_reason(steward.reason)
    found: list[Change] = []

    def batch(records: Sequence[DecisionMade]) -> Batch:
        known = newest(records)
        for each in ids:
            if each not in known:
                raise BadQuestion(f"no finding has the id {each!r}", "`headwater findings list` lists all")
        made = [
            change.finding.in_state(state).record(
                _after(change, micros(steward.now)), steward.caller.name, steward.reason
            )
            for change in map(known.__getitem__, dict.fromkeys(ids))
            if (change.finding.state, change.reason) != (state, steward.reason)
        ]
        after = newest([*records, *made])
        found[:] = map(after.__getitem__, dict.fromkeys(ids))
        details = {"findings": sorted(set(ids)), "reason": steward.reason}
        note = AuditNote(steward.caller.name, ACTION, state.value.lower(), steward.request, details)
        return Batch(decisions=tuple(made), notes=(note,))

    store.decide(batch)
    return found


def _noticed(verdicts: Sequence[Verdict], known: Mapping[str, Change]) -> Iterator[tuple[Finding, str]]:
    """The findings that are new, there again, or there in other forms, each with the reason."""
    for verdict in verdicts:
        for held in verdict.violations:
            found = Finding.of(verdict.policy, held)
            change = known.get(found.id)
            if change is None:
                yield found, "noticed"
            elif change.finding.state not in PRESENT:
                yield found, "noticed again"
            elif found.forms[0] < change.finding.forms[0]:
                yield found, f"in a stronger form than {change.finding.forms[0].name}"
            elif more := [each for each in found.countries if each not in change.finding.countries]:
                yield found, f"also in {', '.join(more)}"
            elif _is_easier(found, change.finding):
                yield found, "the pseudonym is easier to read"
            elif change.finding.state is State.ACKNOWLEDGED and (why := _opened(found, change.finding)):
                yield found, why
            elif _details(found) != _details(change.finding):
                yield (
                    found.in_state(change.finding.state),
                    "in other forms or countries, readable or barred in another way, or of another severity",
                )


def _is_easier(found: Finding, known: Finding) -> bool:
    """Whether a pseudonym is easier to read than it was."""
    if found.readable is None or known.readable is None:
        return False
    return found.readable.difficulty < known.readable.difficulty


def _opened(found: Finding, accepted: Finding) -> str | None:
    """Why a violation that was acknowledged because no row can take it has to be looked at again."""
    if accepted.barred is None:
        return None
    if found.barred is None:
        return "nothing bars the data any more that is known"
    return None if found.barred.version == accepted.barred.version else "a job on its ways is another one"


def _details(finding: Finding) -> tuple[object, ...]:
    """What may change in a finding while the violation is there."""
    barred = finding.barred and finding.barred.version
    return finding.forms, finding.countries, finding.severity, finding.readable, barred


def _cleared(verdicts: Sequence[Verdict], known: Mapping[str, Change]) -> Iterator[tuple[Finding, str]]:
    """The findings that are certainly not there any more, each with the reason."""
    checked = {verdict.policy.name: verdict for verdict in verdicts}
    there = {Finding.of(each.policy, held).id for each in verdicts for held in each.violations}
    for finding_id, change in known.items():
        finding = change.finding
        if finding_id in there or finding.state not in PRESENT:
            continue
        verdict = checked.get(finding.policy)
        if verdict is None:
            yield finding.in_state(State.CLEARED), "the policy is not checked any more"
        elif verdict.is_certain_of(finding.attribute):
            yield finding.in_state(State.CLEARED), "not there any more, or allowed now"


def _after(change: Change | None, time: int) -> int:
    """The time, or a later one if the newest change is not before it."""
    return time if change is None else max(time, micros(change.time) + 1)
