"""The judge over random companies: what their files hold is said by every answer, or told by a gap on the way."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing
from hashlib import md5

import pytest

from kit.spark_lines import SPARK_4
from oracle.companies.answers import Answers, Listed
from oracle.companies.company import Attribute, Company, Night, Source, Step
from oracle.companies.comparison import Miss, judge
from oracle.companies.executor import Executor
from oracle.companies.features import PASSING, Feature
from oracle.companies.generator import company
from oracle.companies.search import Found, How, Tokens
from oracle.companies.tally import Tally, judged

IN_CI = 3
IN_FULL = 500
MAIL = Attribute("people", "mail")
TOKEN = "kjhgzuttkl"


@pytest.fixture(scope="module")
def executor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Executor]:
    with closing(Executor(SPARK_4, tmp_path_factory.mktemp("companies"))) as executor:
        yield executor


@pytest.fixture(scope="module")
def tally(request: pytest.FixtureRequest) -> Iterator[Tally]:
    tally = Tally()
    yield tally
    with request.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        print(f"\ncompanies:\n{tally.text}", file=sys.stderr)  # a worker has no standard output


@pytest.mark.spark
@pytest.mark.parametrize("seed", range(IN_CI))
def test_what_files_hold_is_said(executor: Executor, tally: Tally, seed: int) -> None:
    check(executor, tally, seed)


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(IN_CI, IN_FULL))
def test_what_files_of_many_companies_hold_is_said(executor: Executor, tally: Tally, seed: int) -> None:
    check(executor, tally, seed)


def check(executor: Executor, tally: Tally, seed: int) -> None:
    made = company(seed, PASSING)
    executed = executor.execute(made)
    judgement = judged(executed)
    tally.add(executed, judgement)
    assert judgement.pairs, "nothing personal is written: the company judges nothing"
    assert not judgement.misses, f"{judgement.misses}\nin:\n{made.text}"


@pytest.mark.parametrize(
    "value",
    [TOKEN, TOKEN.upper(), f"x-{TOKEN[:8]}", TOKEN[::-1], "a2poZ3p1dHRrbA==", TOKEN.encode().hex(),
     f'{{"a": "{TOKEN}"}}'],
)  # fmt: skip
def test_a_value_is_found_in_whatever_it_can_be_read_from(value: str) -> None:
    assert tokens().of(value) == {(MAIL, How.READABLE)}


def test_a_digest_is_found_as_one_and_other_text_not_at_all() -> None:
    assert tokens().of("d4e7dd5a1d7b9a2a4b6a1c4ab0b1fd04") == set()
    assert tokens().of("nothing of anybody") == set()
    assert tokens().of(md5(TOKEN.encode()).hexdigest()) == {(MAIL, How.DIGEST)}


def test_what_no_answer_says_is_a_miss_and_a_weak_form_is_one_too() -> None:
    assert [miss.question for miss in misses()] == ["exposure", "breach", "policy"]
    assert [miss.question for miss in misses("AGGREGATED")] == ["exposure", "breach", "policy"]
    assert [miss.question for miss in misses("TRANSFORMED")] == ["breach", "policy"]


def tokens() -> Tokens:
    return Tokens(one_step())


def one_step() -> Company:
    step = Step("job", (), frozenset({"people"}), frozenset({"out"}), frozenset({Feature.BASIC}))
    source = Source("people", "json", (), {"mail": "user.contact.email"})
    return Company(0, [source], [Night("night", [step], [])], {TOKEN: {MAIL}})


def misses(*forms: str) -> tuple[Miss, ...]:
    """Of a company whose output holds the mail, where the exposure lists it in these forms and nothing else is said."""
    listed = frozenset(Listed("out", ("a",), MAIL, form) for form in forms)
    said = Answers(
        listed, {}, {"out": frozenset()}, {"out": frozenset()}, frozenset({("out", "user.contact.email")})
    )
    found = {Found("out", ("a",), MAIL, How.READABLE)}
    return judge(one_step(), found, said, {"out"}).misses
