"""``headwater lineage`` at every level, in both directions, limited and paginated."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

import pypdf
import pytest
from rich.console import Console

from headwater_cli.questions.job_graph import job_tree
from kit.command import headwater
from kit.filtered import REGIONS, copied
from kit.openlineage import dataset, event, paths


def test_both_directions_in_one_answer(target: Sequence[str]) -> None:
    answer = headwater("lineage", "both", "recent_parcels", "customer_email", "--json", *target)
    found = json.loads(answer.stdout)
    assert [n["name"] for n in found["backward"]["nodes"]] == ["shop.recent_parcels", "shop.customers"]
    assert len(found["forward"]["nodes"]) == 3
    lines = headwater("lineage", "both", "recent_parcels", "customer_email", *target).stdout.splitlines()
    assert lines[0].split("\t")[0] == "direction"
    assert {line.split("\t")[0] for line in lines[1:]} == {"backward", "forward"}


def test_active_lineage_says_what_it_leaves_out_and_why(workdir: Path) -> None:
    url, events = f"sqlite:///{workdir}/regions.db", workdir / "regions.ndjson"
    events.write_text("".join(json.dumps(each) + "\n" for each in REGIONS))
    assert headwater("import", events, "--store", url).exit_code == 0
    passive = headwater("lineage", "backward", "a1", "x", "--store", url)
    active = headwater("lineage", "backward", "a1", "x", "--active", "--store", url)
    assert "\ta9\t" in passive.stdout and "\ta9\t" not in active.stdout
    (line,) = (line for line in active.stderr.splitlines() if line.startswith("left out: "))
    assert "x in a9 to x in a7" in line and "Europe" in line and "Americas" in line
    refused = headwater("lineage", "backward", "a1", "--active", "--level", "job", "--store", url)
    assert refused.exit_code == 2 and "--level path" in refused.stderr


def test_a_condition_narrows_the_answer_and_the_rows_are_a_query(workdir: Path) -> None:
    url, events = f"sqlite:///{workdir}/where.db", workdir / "where.ndjson"
    events.write_text("".join(json.dumps(each) + "\n" for each in REGIONS))
    assert headwater("import", events, "--store", url).exit_code == 0
    asked = ("lineage", "backward", "a4", "x", "--store", url)
    found = headwater(*asked, "--where", "region = 'Europe' AND x IS NOT NULL")
    assert "\ta6\t" in found.stdout and "\ta8\t" not in found.stdout
    notes = found.stderr.splitlines()
    assert "region = 'Europe' excludes 1 edge, 1 of them up to the next fork" in notes
    assert any("NULL has no effect" in line for line in notes)
    assert "x in a8 comes from: SELECT `x` FROM `a8` WHERE" in headwater(*asked, "--active").stderr
    refused = headwater(*asked, "--where", "regoin = 'Europe'")
    assert refused.exit_code != 0 and "at character 1" in refused.stderr and "'region'" in refused.stderr


def test_an_answer_with_too_many_ways_stops_and_lists_conditions_to_go_on_with(workdir: Path) -> None:
    url, events = f"sqlite:///{workdir}/many.db", workdir / "many.ndjson"
    jobs = [copied(1, "eu", "shop", "Europe"), copied(2, "us", "shop", "Americas"), copied(3, "shop", "all")]
    events.write_text("".join(json.dumps(each) + "\n" for each in jobs))
    assert headwater("import", events, "--store", url).exit_code == 0
    asked = ("lineage", "backward", "all", "x", "--store", url)
    stopped = headwater(*asked, "--most-ways", "2")
    notes = stopped.stderr.splitlines()
    assert "stopped after 2 ways, at x in eu, x in us: nothing is left out beyond" in notes
    offered = next(line for line in notes if line.startswith("go on with ") and "Europe" in line)
    assert offered.endswith(": keeps 1 of 2 ways, ends 1")
    option, where = shlex.split(offered.removeprefix("go on with ").partition(": keeps")[0])
    on = headwater(*asked, option, where)
    assert "\teu\t" in on.stdout and "\tus\t" not in on.stdout and "stopped" not in on.stderr
    assert headwater(*asked, "--most-ways", "2", "--strict").exit_code == 4
    refused = headwater(*asked, "--most-ways", "0")
    assert refused.exit_code == 1 and "BAD_THRESHOLD" in refused.stderr


def test_proofs_are_checked_apart(workdir: Path) -> None:
    url, events = f"sqlite:///{workdir}/proofs.db", workdir / "proofs.ndjson"
    events.write_text("".join(json.dumps(each) + "\n" for each in REGIONS))
    assert headwater("import", events, "--store", url).exit_code == 0
    found = headwater("active", "verify", "a1", "x", "--store", url)
    assert found.exit_code == 0
    (line,) = found.stdout.splitlines()[1:]
    assert line.split("\t")[:5] == ["TRIED", "a9", "x", "a7", "x"] and "Europe" in line
    forward = headwater(
        "active", "verify", "a6", "x", "--forward", "--where", "region = 'Asia'", "--store", url
    )
    assert (
        "TRIED\ta6\tx\ta4\tx" in forward.stdout and "the question asks for region = 'Asia'" in forward.stdout
    )


def test_a_coarser_level_lists_datasets(target: Sequence[str]) -> None:
    answer = headwater("lineage", "backward", "vouchers", "--level", "dataset", *target)
    rows = [line.split("\t") for line in answer.stdout.splitlines()[1:]]
    assert [row[3] for row in rows[:2]] == ["shop.vouchers", "shop.recent_parcels"]
    assert {row[4] for row in rows} == {""}


def test_jobs_are_listed_in_either_direction(target: Sequence[str]) -> None:
    answer = headwater("lineage", "both", "recent_parcels", "--level", "job", "--json", *target)
    found = json.loads(answer.stdout)
    assert found["backward"]["jobs"][0]["name"] == "collect_recent_parcels"
    assert found["forward"]["jobs"][0]["name"] == "rate_recent_parcels"
    piped = headwater("lineage", "backward", "vouchers", "--level", "job", *target)
    assert piped.stdout.splitlines()[0] == "distance\treach\tnamespace\tjob"


def test_jobs_are_drawn_as_a_tree(store: str) -> None:
    answer = headwater("lineage", "backward", "vouchers", "--level", "job", "--json", "--store", store)
    console = Console(width=200)
    with console.capture() as drawn:
        console.print(job_tree(json.loads(answer.stdout), "backward"))
    first, nearest, next_one = drawn.get().splitlines()[:3]
    assert first == "made by"
    assert nearest.endswith("rate_recent_parcels")
    assert next_one.endswith("collect_recent_parcels  through shop.recent_parcels")


def test_stop_at_matches_the_end_of_a_name(store: str) -> None:
    answer = headwater(
        "lineage", "backward", "vouchers", "customer_email", "--stop-at", "recent_parcels", "--store", store
    )
    assert answer.stdout.splitlines()[-2].startswith("incomplete: STOP at shop.recent_parcels")


def test_a_gap_names_the_job_that_reported_no_lineage(store: str) -> None:
    silent = event("COMPLETE", 1, "run", [dataset("in", "x")], [dataset("out", "x")], "silent")
    headwater("import", "-", "--store", store, stdin=json.dumps(silent))
    for command in (("lineage", "forward", "in"), ("lineage", "backward", "out"), ("impact", "in")):
        answer = headwater(*command, "--store", store)
        assert answer.stdout.splitlines()[-2] == "incomplete: NO_LINEAGE_FACET at out  by silent"
        assert headwater(*command, "--strict", "--store", store).exit_code == 4
    assert "shop.customers" not in answer.stdout


def test_a_filter_by_name_and_namespace_needs_both(store: str) -> None:
    command = ("lineage", "backward", "vouchers", "customer_email", "--json", "--store", store)
    both = headwater(*command, "--within", "recent_parcels", "--in-namespace", "parc*")
    assert [n["name"] for n in json.loads(both.stdout)["nodes"]] == [
        "shop.vouchers",
        "shop.recent_parcels",
    ]
    neither = headwater(*command, "--within", "recent_parcels", "--in-namespace", "elsewhere")
    assert [n["name"] for n in json.loads(neither.stdout)["nodes"]] == ["shop.vouchers"]


def test_a_limited_answer_prints_the_cursor_to_continue(store: str) -> None:
    command = ("lineage", "backward", "vouchers", "customer_email", "--limit", "2", "--store", store)
    first = headwater(*command)
    more = first.stdout.splitlines()[-1]
    assert more.startswith("more: --after ")
    second = headwater(*command, "--after", more.rpartition(" ")[2])
    assert "shop.customers" not in first.stdout
    assert "shop.customers" in second.stdout
    assert "more:" not in second.stdout


def test_before_the_first_event_there_was_no_lineage(store: str) -> None:
    answer = headwater("lineage", "backward", "vouchers", "--as-of", "2001-01-01", "--json", "--store", store)
    assert [n["name"] for n in json.loads(answer.stdout)["nodes"]] == ["shop.vouchers"]


@pytest.mark.parametrize("option", [("--as-of", "yesterday"), ("--level", "row"), ("--limit", "0")])
def test_an_invalid_option_value_is_wrong_usage(store: str, option: tuple[str, str]) -> None:
    assert headwater("lineage", "backward", "vouchers", *option, "--store", store).exit_code == 2


@pytest.mark.parametrize(
    ("suffix", "start"),
    [("svg", b"<svg"), ("PNG", b"\x89PNG"), ("pdf", b"%PDF"), ("mmd", b"flowchart"), ("dot", b"digraph")],
)
def test_an_answer_is_drawn_into_a_file(
    target: Sequence[str], tmp_path: Path, suffix: str, start: bytes
) -> None:
    file = tmp_path / f"picture.{suffix}"
    answer = headwater("lineage", "both", "recent_parcels", "customer_email", "--out", file, *target)
    assert answer.stdout == f"{file} written\n"
    assert file.read_bytes().startswith(start)


def test_a_picture_has_the_letters_of_names_in_any_script(workdir: Path) -> None:
    url, events, file = f"sqlite:///{workdir}/names.db", workdir / "names.ndjson", workdir / "picture.pdf"
    names = ("ชื่อลูกค้า", "客户姓名")
    lineage = paths(*[([name], "in", [name], "IDENTITY") for name in names])
    output = dataset("out", *names, headwater_pathLineage=lineage)
    events.write_text(json.dumps(event("COMPLETE", 1, "run", [dataset("in", *names)], [output], "j")))
    assert headwater("import", events, "--store", url).exit_code == 0
    assert headwater("lineage", "backward", "out", "--out", file, "--store", url).exit_code == 0
    text = "".join(filter(str.isprintable, pypdf.PdfReader(file).pages[0].extract_text()))
    assert [name for name in names if name not in text] == []


@pytest.mark.parametrize("level", ["path", "column", "dataset", "job"])
def test_a_picture_has_the_cards_of_its_level(store: str, tmp_path: Path, level: str) -> None:
    file = tmp_path / "picture.svg"
    asked = ("backward", "vouchers", "--level", level, "--dark", "--out", file, "--store", store)
    assert headwater("lineage", *asked).exit_code == 0
    drawn = file.read_text("utf-8")
    datasets, rows = drawn.count('"card dataset"'), drawn.count('class="row"')
    assert drawn.count('"card job"') == 2
    assert (datasets > 2) is (level != "job")
    assert (rows > 0) is (level in {"path", "column"})


def test_a_picture_of_a_server_has_the_page_s_address(target: Sequence[str], tmp_path: Path) -> None:
    file = tmp_path / "picture.svg"
    assert headwater("lineage", "backward", "vouchers", "--out", file, *target).exit_code == 0
    assert ("/?namespace=" in file.read_text("utf-8")) is ("--url" in target)


def test_a_picture_is_also_judged_by_strict(store: str, tmp_path: Path) -> None:
    file = tmp_path / "picture.svg"
    cut = ("backward", "vouchers", "--limit", "1", "--strict", "--out", file, "--store", store)
    assert headwater("lineage", *cut).exit_code == 4
    assert "A limit cut the answer" in file.read_text("utf-8")


def test_a_picture_needs_a_known_format_a_folder_and_its_packages(
    store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(file: Path, *more: str) -> str:
        answer = headwater("lineage", "backward", "vouchers", "--out", file, *more, "--store", store)
        assert answer.exit_code != 0
        return answer.output

    assert ".svg, .png, .pdf, .mmd, .dot" in refused(tmp_path / "picture.jpg")
    assert "there is no folder" in refused(tmp_path / "nowhere" / "picture.svg")
    for suffix, module in (("svg", "py_mini_racer"), ("png", "typst")):
        monkeypatch.setitem(sys.modules, module, None)
        assert "pip install 'headwater[pictures]'" in refused(tmp_path / f"picture.{suffix}")
