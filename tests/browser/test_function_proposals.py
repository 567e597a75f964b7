"""Proposals of what functions do, on the page of their job: stewards decide, readers only see."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from headwater_backend.access.api_keys import new_key
from headwater_backend.domain.model import JobKey
from headwater_backend.domain.roles import Role, everything
from headwater_backend.function_proposals.proposal import CodeSeen, Proposal, State
from headwater_backend.function_proposals.stewardship import proposals, propose
from headwater_backend.ingest.service import ingest
from headwater_backend.names.stewardship import Steward
from headwater_backend.ports import LineageStore
from headwater_backend.settings import Settings
from kit.openlineage import NAMESPACE, dataset, event, facet
from kit.servers import serving

JOB = f"/?view=runs&job-namespace={NAMESPACE}&job=load"
CHECKS = ("code: it may be made of more: name", "runs: 12, and 3 pairs of paths changed together")


@pytest.fixture(autouse=True)
def proposed(store: LineageStore) -> None:
    """A job with an opaque function, for which a second opinion is kept, and one that a steward declared."""
    run = event("COMPLETE", 1, "load", [dataset("in", "a")], [dataset("out", "a")], "load")
    known = [
        {"name": "score", "sort": "PYTHON_UDF", "known": "OPAQUE"},
        {"name": "hide", "sort": "PYTHON_UDF", "known": "DECLARED", "declaredBy": "Ana"},
    ]
    run["job"]["facets"] = {"headwater_functions": facet(functions=known)}
    assert [each.error for each in ingest(store, [run])] == [None]
    code = CodeSeen("3.12:0f", "job.py", 7)
    reads = ("mail -> key", "name -> ?")
    made = Proposal(JobKey(NAMESPACE, "load"), "score", ("mail", "name"), reads, None, code, CHECKS)
    propose(store, [made], Steward(everything("Ana"), "a second opinion"))


def test_a_proposal_is_accepted_with_a_reason_and_taken_back(page: Page, store: LineageStore) -> None:
    page.goto(JOB)
    expect(page.get_by_text("declared by Ana")).to_be_visible()
    proposal = page.locator(".function-proposals > li")
    expect(proposal).to_contain_text(
        re.compile("score.*job.py:7.*proposed.*mail -> key.*may be made of more")
    )
    accept = proposal.get_by_role("button", name="Accept")
    expect(accept).to_be_disabled()
    proposal.get_by_label("Reason").fill("checked by hand")
    accept.click()
    expect(proposal).to_contain_text(re.compile("accepted.*checked by hand"))
    assert [each.state for each in proposals(store)] == [State.ACCEPTED]
    proposal.get_by_label("Reason").fill("code has changed")
    proposal.get_by_role("button", name="Take back").click()
    expect(proposal.get_by_role("button", name="Refuse")).to_be_visible()
    (found,) = proposals(store)
    assert [each.reason for each in found.decisions] == [
        "code has changed",
        "checked by hand",
        "a second opinion",
    ]


def test_a_reader_sees_proposals_and_decides_none(
    chromium: Browser, store: LineageStore, tmp_path: Path
) -> None:
    file = tmp_path / "keys.json"
    _, key = new_key(file, "somebody", [Role.READER])
    with (
        serving(store, Settings(keys_file=file)) as address,
        chromium.new_context(base_url=address) as context,
    ):
        page = context.new_page()
        page.add_init_script(f"sessionStorage.setItem('headwater.credential', '{key}')")
        page.goto(JOB)
        proposal = page.locator(".function-proposals > li")
        expect(proposal).to_contain_text("mail -> key")
        expect(proposal.get_by_role("button")).to_have_count(0)


def test_proposals_are_in_german(chromium: Browser, address: str) -> None:
    with chromium.new_context(base_url=address, locale="de-DE", color_scheme="dark") as context:
        page = context.new_page()
        page.goto(JOB)
        proposal = page.locator(".function-proposals > li")
        expect(proposal).to_contain_text(
            re.compile("vorgeschlagen.*auch hieraus bestehen: name.*Probeläufe: 12")
        )
        expect(proposal.get_by_role("button", name="Annehmen")).to_be_disabled()
        expect(page.get_by_text("deklariert von Ana")).to_be_visible()
