"""The judge over random companies: what their files hold is stated by every answer, or covered by a gap on the way."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from hashlib import md5
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from pyarrow import orc, parquet

from kit.figures import say
from kit.spark_lines import SPARK_4
from oracle.companies.answers import Answers, Gap, Listed
from oracle.companies.company import Attribute, Company, Night, Source, Step
from oracle.companies.comparison import Judgement, Miss, judge
from oracle.companies.decoding import Steps
from oracle.companies.executor import Executor
from oracle.companies.features import Feature
from oracle.companies.generator import company
from oracle.companies.search import Found, Held, How, Tokens, search, soundex, values
from oracle.companies.tally import Tally, judged

IN_CI = 1
IN_FULL = 500
MAIL = Attribute("people", "mail")
PAY = Attribute("people", "pay")
TOKEN = "kjhgzuttkl"
FOUND = Found("out", ("a",), MAIL, How.READABLE)


@pytest.fixture(scope="module")
def executor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Executor]:
    with closing(Executor(SPARK_4, tmp_path_factory.mktemp("companies"))) as executor:
        yield executor


@pytest.fixture(scope="module")
def tally(request: pytest.FixtureRequest) -> Iterator[Tally]:
    tally = Tally()
    yield tally
    say(request, f"companies:\n{tally.text}")


@pytest.mark.spark
@pytest.mark.parametrize("seed", range(IN_CI))
def test_what_files_hold_is_reported(executor: Executor, tally: Tally, seed: int) -> None:
    assert check(executor, tally, seed), "nothing personal is written: the company judges nothing"


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(IN_CI, IN_FULL))
def test_what_files_of_many_companies_hold_is_reported(executor: Executor, tally: Tally, seed: int) -> None:
    if not check(executor, tally, seed):
        pytest.skip("nothing personal is written: the company judges nothing")


def check(executor: Executor, tally: Tally, seed: int) -> bool:
    """Whether the company writes anything personal, all of which must be in the answers."""
    made = company(seed)
    executed = executor.execute(made)
    judgement = judged(executed)
    tally.add(executed, judgement)
    assert not judgement.misses, f"{judgement.misses}\nin:\n{made.text}"
    return bool(judgement.pairs)


@pytest.mark.parametrize(
    "value",
    [TOKEN, TOKEN.upper(), f"x-{TOKEN[:8]}", TOKEN[::-1], "a2poZ3p1dHRrbA==", TOKEN.encode().hex(),
     f'{{"a": "{TOKEN}"}}', '{"a": "{\\"b\\": \\"a2poZ3p1dHRrbA==\\"}"}'],
)  # fmt: skip
def test_a_value_is_found_in_whatever_it_can_be_read_from(value: str) -> None:
    assert tokens().of(value) == {(MAIL, How.READABLE)}


@pytest.mark.parametrize("write", [parquet.write_table, orc.write_table])
def test_numbers_and_texts_are_found_in_a_text_that_is_a_whole_file(write: Any, tmp_path: Path) -> None:
    write(pyarrow.table({"mail": [TOKEN], "pay": [9876543210]}), tmp_path / "file")
    content = (tmp_path / "file").read_bytes().decode("ISO-8859-1")
    made = one_step()
    made.tokens["9876543210"] = {PAY}
    assert Tokens(made).of(content) == {(MAIL, How.READABLE), (PAY, How.READABLE)}
    assert Tokens(made).of(json.dumps({"content": content})) == {(MAIL, How.READABLE), (PAY, How.READABLE)}
    assert (PAY, How.READABLE) not in Tokens(made).of(content[:60]), "a part of a file is no file"


def test_a_digest_of_what_a_file_holds_is_found_and_a_length_is_a_fact(tmp_path: Path) -> None:
    line = f"x;{TOKEN}"
    written = {"digest": md5(line.encode()).hexdigest(), "long": str(len(TOKEN)), "line\x85": "nobody's"}
    (tmp_path / "people").mkdir()
    (tmp_path / "people" / "part.csv").write_text(f"a;b\n{line}\n", "utf-8")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "part.json").write_text(json.dumps(written, ensure_ascii=False), "utf-8")
    held = search(one_step(), tmp_path)
    assert held.found == {
        Found("out", ("digest",), MAIL, How.DIGEST),
        Found("out", ("long",), MAIL, How.FACT),
    }
    assert held.filled == {("out", (name,)) for name in written}


def test_a_soundex_is_computed_as_spark_does() -> None:
    assert [soundex(each) for each in ("Robert", "Ashcraft", "Tymczak", "Pfister", "4you")] == [
        "R163", "A261", "T522", "P236", "4you"
    ]  # fmt: skip


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


def test_what_others_stored_is_a_miss_without_a_gap_at_the_table() -> None:
    theirs = Attribute("others_of_out", "one")
    stored = Step("stored", (), frozenset({"others_of_out"}), frozenset({"out"}))
    of_others = Company(
        0, [], [Night("night", [stored], [])], {TOKEN: {theirs}}, others={theirs: "user.name"}
    )
    held = Held({Found("out", ("one",), theirs, How.READABLE)}, set())
    for place, questions in (("elsewhere", ["exposure", "breach", "policy"]), ("out", ["policy"])):
        gap = frozenset({Gap(place, "", "UNDECIDED_ORIGIN")})
        stated = Answers(
            frozenset(), {}, gap, {"out": frozenset()}, {"out": gap}, frozenset({("out", "user.name")})
        )
        assert [miss.question for miss in judge(of_others, held, stated).misses] == questions


def test_what_tells_of_a_table_is_no_data(tmp_path: Path) -> None:
    for name in ("_delta_log", "metadata", ".hidden", "_a=b"):
        (tmp_path / "out" / name).mkdir(parents=True)
        (tmp_path / "out" / name / "part.txt").write_text(TOKEN, "utf-8")
    assert {path for path, _ in values(tmp_path / "out")} == {("_a",), ("value",)}


def test_what_jobs_and_others_share_is_read_after_each_of_them_was_the_last_to_store_something() -> None:
    written, last = "", set()
    for seed in range(40):
        steps = [s for s in company(seed, frozenset(Feature)).steps if Feature.OTHERS in s.features]
        for name in {s.name.partition("_")[2].partition("_")[0] for s in steps}:
            *before, end = [s for s in steps if s.name.startswith(f"shared_{name}_")]
            done = [s.name.split("_")[2] for s in before]
            assert "stored" in done and "appended" in done and end.name.split("_")[2] == "read"
            last.add((any(".jdbc(" in line for s in before for line in s.lines), done[-1]))
            written += "".join(line for s in before for line in s.lines if "appended" in s.name)
    assert last == {(False, "stored"), (False, "appended"), (True, "appended")}
    ways = (".parquet(", ".json(", ".orc(", ".csv(", "writeStream", ".jdbc(", '"delta"', "writeTo(")
    assert [way for way in ways if way not in written] == []


def test_an_attribute_that_the_report_does_not_list_is_covered_by_a_gap_of_the_report() -> None:
    gap = frozenset({Gap("people", "", "UNMATCHED_RULE")})
    stated = Answers(frozenset(), {}, gap, {"out": frozenset()}, {"out": gap}, frozenset())
    assert judge(one_step(), Held({FOUND}, {("out", ("a",))}), stated).misses == ()


@pytest.mark.parametrize(
    ("how", "form", "right"),
    [(How.READABLE, "IDENTITY", 1), (How.DIGEST, "PSEUDONYMISED", 1), (How.FACT, "DERIVED", 1),
     (How.FACT, "TRANSFORMED", 0)],
)  # fmt: skip
def test_a_pair_is_right_if_what_is_listed_is_there(how: How, form: str, right: int) -> None:
    found = judgement({Found("out", ("a",), MAIL, how)}, {("out", ("a",))}, form)
    assert (found.listed, found.right) == (1, right)


def test_a_pair_is_not_judged_where_there_is_no_value_of_anything() -> None:
    assert judgement(set(), {("out", ("b",))}, "IDENTITY").listed == 0
    assert judgement(set(), {("out", ("a", "b"))}, "IDENTITY").listed == 1


def misses(*forms: str) -> tuple[Miss, ...]:
    """Of a company whose output holds the mail, where the exposure lists it in these forms and nothing else."""
    return judgement({FOUND}, {("out", ("a",))}, *forms).misses


def judgement(found: set[Found], filled: set[tuple[str, Steps]], *forms: str) -> Judgement:
    """Of a company whose output holds that, where the exposure lists the mail in these forms."""
    listed = frozenset(Listed("out", ("a",), MAIL, form) for form in forms)
    satisfied = frozenset({("out", "user.contact.email")})
    none: frozenset[Gap] = frozenset()
    stated = Answers(listed, {}, none, {"out": frozenset()}, {"out": none}, satisfied)
    return judge(one_step(), Held(found, filled), stated)
