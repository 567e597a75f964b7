"""``headwater functions ask``: what a program says of functions is a proposal, held against code and runs."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

from headwater_cli.agent.functions import functions
from headwater_plan.declarations import read_declarations

MODULE = """
TIERS = {}


def score(mail, name):
    TIERS[name] = mail
    return {"key": mail.upper(), "known": name.startswith("A")}


def city(address):
    return address.city
"""
RIGHT = {"reads": ["mail -> key", "name -> known"]}


@pytest.fixture
def module(tmp_path: Path) -> Path:
    file = tmp_path / "module.py"
    file.write_text(MODULE)
    return file


def _ask(module: Path, answer: Any, *options: str, examples: Any = None) -> Result:
    """The command with a program that keeps the question and gives that answer."""
    program = module.with_name("answer.py")
    program.write_text(
        f"import sys\nopen({str(module.with_name('asked.json'))!r}, 'w').write(sys.stdin.read())\n"
        f"print({json.dumps(answer)!r})\n"
    )
    given = []
    if examples is not None:
        file = module.with_name("examples.json")
        file.write_text(json.dumps(examples))
        given = ["--examples", str(file)]
    command = f"{sys.executable} {program}"
    return CliRunner().invoke(functions, ["ask", "--command", command, *options, *given, str(module)])


def test_functions_that_cannot_be_read_are_asked_about_and_proposed(module: Path, tmp_path: Path) -> None:
    result = _ask(module, RIGHT, examples={"score": [["ada@x.org", "Ada"]]})
    assert result.exit_code == 0, result.output
    question = json.loads((tmp_path / "asked.json").read_text())
    assert question["parameters"] == ["mail", "name"]
    assert question["source"].startswith("def score(mail, name):")
    assert "code: not read: it changes an object of its module" in result.output
    assert yaml.safe_load(result.output)["udfs"] == [
        {"name": "score", "parameters": ["mail", "name"], "reads": RIGHT["reads"]}
    ]
    proposed = tmp_path / "proposed.yaml"
    proposed.write_text(result.output)
    assert set(read_declarations(proposed)) == {"score"}


@pytest.mark.parametrize(
    ("reads", "why"),
    [
        (["mail -> key"], "the result changes with name"),
        (["mail -> key", "name -> key"], "the result changes with name"),
        (["mail -> ?", "name -> known"], "the result changes with mail"),
        (["mail -> key", "names -> known"], "the answer is none by the schema"),
        (["mail -> key", "5 -> known"], "the answer is none by the schema"),
    ],
)
def test_an_answer_that_misses_a_change_is_refused(module: Path, reads: list[str], why: str) -> None:
    result = _ask(module, {"reads": reads}, examples={"score": [["ada@x.org", "Ada"]]})
    assert result.exit_code == 1
    assert f"refused: {why}" in result.output
    assert not yaml.safe_load(result.output)["udfs"]


@pytest.mark.parametrize(
    "answer", [[], {"reads": "mail"}, {"reads": [1]}, {**RIGHT, "masking": True}, {"writes": "key"}, "no"]
)
def test_an_answer_that_is_not_by_the_schema_is_refused(module: Path, answer: Any) -> None:
    result = _ask(module, answer)
    assert result.exit_code == 1
    assert "refused: the answer is none by the schema" in result.output


def test_what_the_code_states_more_is_reported_and_nothing_is_run_without_examples(
    module: Path, tmp_path: Path
) -> None:
    mark = tmp_path / "executed"
    module.write_text(f"{MODULE}\nopen({str(mark)!r}, 'w').close()\n")
    result = _ask(module, {"reads": ["address.zip"]}, "--function", "city")
    assert "code: it may be made of more: address.city" in result.output
    assert "runs: none" in result.output
    assert not mark.exists()
    assert (
        "code: all that it is made of is listed"
        in _ask(module, {"reads": ["address.city"]}, "--function", "city").output
    )


def test_records_and_lists_of_examples_are_changed_part_by_part(module: Path) -> None:
    module.write_text("def f(order):\n    return {'names': [i.name for i in order.items_ if i['n'] > 1]}\n")
    examples = {"f": [[{"items_": [{"name": "pencil", "n": 2}], "note": "none"}]]}
    reads = ["order.items_[].name -> names[]"]
    options = ("--function", "f")
    assert (
        "changes with order.items_._element.n"
        in _ask(module, {"reads": reads}, *options, examples=examples).output
    )
    reads += ["order.items_ -> ?"]
    assert _ask(module, {"reads": reads}, *options, examples=examples).exit_code == 0


def test_a_function_that_draws_lots_is_not_tried(module: Path) -> None:
    module.write_text(
        "import random\nSEEN = []\ndef f(a):\n    SEEN.append(a)\n    return [random.random(), a]\n"
    )
    result = _ask(module, {"reads": ["a"]}, examples={"f": [["x"]]})
    assert result.exit_code == 1
    assert (
        "refused: it cannot be tried: it fails on an example, or gives other results each time"
        in result.output
    )


def test_a_program_that_does_not_answer_ends_the_command(module: Path) -> None:
    result = CliRunner().invoke(functions, ["ask", "--command", "false", str(module)])
    assert result.exit_code == 1
    assert "the command gave no answer" in str(result.exception) + result.output
