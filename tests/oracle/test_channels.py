"""The judge over random programs: what their outputs hold, a leak of the output exposes, or a gap is reported.

A figure of the tally: of the words that stand in outputs, how many are listed, and not only covered by a gap.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from headwater_backend.domain.model import NodeKey
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.answers.breach import breach
from headwater_backend.privacy.exposure import UNMATCHED_RULE, Ruling
from headwater_backend.privacy.files import parse_policies, parse_rules
from headwater_backend.privacy.forms import READABLE, Form
from headwater_backend.stores import open_store
from headwater_facets.path import Path as DataPath
from kit.figures import say
from kit.jobs import run_job
from kit.shared import ROOT
from kit.spark_lines import LINES, SPARK_4, SparkLine
from oracle.channels import planted
from oracle.channels.program import ALONE, MODULES, channels_in

IN_CI = 1
IN_FULL = 100
TESTS = ROOT / "tests"


def channels_alone() -> list[str]:
    """The channels that are gone through in a program of their own, as ``module.channel``."""
    modules = {name: import_module(f"oracle.channels.{name}") for name in ALONE}
    return [f"{name}.{each.__name__}" for name, module in modules.items() for each in channels_in(module)]


@pytest.fixture(scope="module")
def tally(request: pytest.FixtureRequest) -> Iterator[Counter[str]]:
    tally: Counter[str] = Counter()
    yield tally
    figures = [f"{tally[each]} {each}" for each in ("listed", "covered by a gap", "channels", "left out")]
    say(request, f"channels: {', '.join(figures)}")


@pytest.mark.spark
@pytest.mark.parametrize("line", LINES, ids=str)
@pytest.mark.parametrize("seed", range(IN_CI))
def test_what_goes_through_channels_is_reported(
    line: SparkLine, seed: int, tmp_path: Path, tally: Counter[str]
) -> None:
    check(line, seed, tmp_path, tally)


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.parametrize("line", LINES, ids=str)
@pytest.mark.parametrize("seed", range(IN_CI, IN_FULL))
def test_what_goes_through_many_channels_is_reported(
    line: SparkLine, seed: int, tmp_path: Path, tally: Counter[str]
) -> None:
    check(line, seed, tmp_path, tally)


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.parametrize("line", LINES, ids=str)
@pytest.mark.parametrize("module", MODULES)
def test_what_goes_through_each_channel_is_reported(
    line: SparkLine, module: str, tmp_path: Path, tally: Counter[str]
) -> None:
    check(line, 0, tmp_path, tally, module)


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.parametrize("channel", channels_alone())
def test_what_goes_through_one_channel_alone_is_reported(
    channel: str, tmp_path: Path, tally: Counter[str]
) -> None:
    check(SPARK_4, 0, tmp_path, tally, *channel.split("."))


def check(line: SparkLine, seed: int, folder: Path, tally: Counter[str], *module: str) -> None:
    planted.plant(folder)
    events, log = execute(line, seed, folder, *module)
    passed = [each for each in log if each.startswith("!") or ": " not in each]
    tally.update("left out" if each.startswith("!") else "channels" for each in passed)
    missed = {}
    with closing(open_store(f"sqlite:///{folder / 'lineage.db'}")) as store:
        assert all(each.stored for each in ingest(store, events))
        for output in sorted((folder / "out").iterdir()):
            exposed, has_gap = exposed_by(store, folder, output)
            found = planted.found_in(output)
            tally["listed"] += len(found & exposed)
            tally["covered by a gap"] += len(found - exposed) if has_gap else 0
            if found - exposed and not has_gap:
                missed[output.name] = found - exposed
    assert missed == {}, f"seed {seed} went through {log}"


def execute(line: SparkLine, seed: int, folder: Path, *module: str) -> tuple[list[dict[str, Any]], list[str]]:
    """Run the program under the agent; its events, and its log."""
    conf = {"spark.sql.shuffle.partitions": "2", "spark.sql.warehouse.dir": str(folder / "tables")}
    conf["spark.headwater.flush.timeout"] = "120s"
    program = str(TESTS / "oracle" / "channels" / "program.py")
    variables = {"PYTHONPATH": str(TESTS)}
    job = run_job(line, folder, program, str(seed), str(folder), *module, conf=conf, environment=variables)
    assert job.code == 0, job.output
    log: list[str] = json.loads((folder / "log.json").read_text("utf-8"))
    return job.events, log


def exposed_by(store: LineageStore, folder: Path, output: Path) -> tuple[set[str], bool]:
    """Of which kinds words are stated to be readable, or possible, in the output; and whether there is more to know."""
    rules = "".join(
        f"- {{dataset: '* {folder}/{file}', path: '{path}', category: user}}\n"
        for file, path in planted.PATHS.values()
    )
    policy = f"- {{policy: leak, category: user, dataset: '* {output}'}}"
    answer = breach(store, parse_policies(policy), Ruling(parse_rules(rules), lenient=True))
    listed = {
        each.attribute.node for each in answer.values if {*READABLE, Form.POSSIBLE}.intersection(each.forms)
    }
    gaps = [each for each in answer.incomplete if each.reason != UNMATCHED_RULE]
    return {kind for kind in planted.PATHS if any(is_at(node, kind) for node in listed)}, bool(gaps)


def is_at(node: NodeKey, kind: str) -> bool:
    file, path = planted.PATHS[kind]
    return Path(node.dataset.name).name == file and [*node.path] == DataPath.parse(path).to_wire()
