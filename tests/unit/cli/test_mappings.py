"""`headwater import` takes business mappings, and says where one is wrong."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from headwater_cli.main import cli

TEXT = '# ours\nWHEN POPULATING REPORT FROM SALES\n  POPULATE REPORT.CITY WITH SALES.TOWN IF SALES.KIND = "shop"\n'


def invoke(*args: str) -> tuple[int, str]:
    result = CliRunner().invoke(cli, args)
    return result.exit_code, result.output


def test_a_file_of_mappings_is_imported_twice_with_the_same_result(tmp_path: Path) -> None:
    file, store = tmp_path / "mappings.txt", f"sqlite:///{tmp_path / 'lineage.db'}"
    file.write_text(TEXT)
    for _ in range(2):
        assert invoke("import", str(file), "--store", store, "--namespace", "business") == (
            0,
            "1 events stored\n",
        )
    code, output = invoke("lineage", "backward", "REPORT", "CITY", "--store", store)
    assert code == 0
    assert "business\tSALES\tTOWN" in output


def test_a_wrong_mapping_changes_nothing_and_names_its_place(tmp_path: Path) -> None:
    good, wrong, store = tmp_path / "good.txt", tmp_path / "wrong.txt", tmp_path / "lineage.db"
    good.write_text(TEXT)
    wrong.write_text(TEXT + "WHEN POPULATING REPORT\n  FRM SALES\n")
    code, output = invoke("import", str(good), str(wrong), "--store", f"sqlite:///{store}")
    assert code == 1
    assert f"{wrong}, line 5, column 3: 'FRM SALES' is not expected here [MAPPING_INVALID]" in output
    assert "hint: expected FROM" in output
    assert not store.exists()


def test_mappings_of_another_file_take_no_place_of_these(tmp_path: Path) -> None:
    first, second, store = tmp_path / "1.txt", tmp_path / "2.txt", f"sqlite:///{tmp_path / 'lineage.db'}"
    first.write_text(TEXT)
    second.write_text(
        "\ufeffWHEN POPULATING REPORT FROM SALES\r\n  POPULATE REPORT.DAY WITH SALES.DAY\r\n", "utf-8"
    )
    assert invoke("import", str(first), "--store", store)[0] == 0
    assert invoke("import", str(second), "--store", store)[0] == 0
    _, output = invoke("lineage", "backward", "REPORT", "--store", store)
    assert "\tTOWN" in output and output.count("\tDAY") == 2


def test_a_changed_file_takes_the_place_of_what_it_stated(tmp_path: Path) -> None:
    file, store = tmp_path / "mappings.txt", f"sqlite:///{tmp_path / 'lineage.db'}"
    for number, town in enumerate(("TOWN", "VILLAGE")):
        file.write_text(TEXT.replace("TOWN", town))
        os.utime(file, (1_700_000_000 + number, 1_700_000_000 + number))
        assert invoke("import", str(file), "--store", store)[0] == 0
    _, output = invoke("lineage", "backward", "REPORT", "CITY", "--store", store)
    assert "VILLAGE" in output and "TOWN" not in output


def test_an_attribute_may_be_asked_about_for_some_rows(tmp_path: Path) -> None:
    file, store = tmp_path / "mappings.txt", f"sqlite:///{tmp_path / 'lineage.db'}"
    kind = "  POPULATE REPORT.KIND WITH SALES.KIND\n"
    file.write_text(TEXT + kind + 'WHEN POPULATING SALES FROM ORDERS\n  POPULATE SALES.TOWN WITH ORDERS.TOWN\n'
                    '  POPULATE SALES.KIND WITH "web"\n')  # fmt: skip
    assert invoke("import", str(file), "--store", store)[0] == 0
    _, output = invoke("lineage", "backward", "REPORT", "CITY", "--store", store, "--active")
    assert "ORDERS" not in output.split("left out")[0]
    assert "'shop'" in output and "'web'" in output
    code, output = invoke("lineage", "forward", "SALES", "TOWN", "--store", store, "--where", "KIND = 'web'")
    assert code == 0 and "left out: TOWN in SALES to CITY in REPORT" in output
    refused = invoke("lineage", "backward", "REPORT", "CITY", "--store", store, "--where", "")
    assert refused[0] == 1 and "BAD_CONDITION" in refused[1]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"WHEN POPULATING \xff", "byte 16 is no UTF-8"),
        (b"WHEN POPULATING" + b" " * 2**24, "more than 16 MiB"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, content: bytes, problem: str) -> None:
    file = tmp_path / "mappings.txt"
    file.write_bytes(content)
    code, output = invoke("import", str(file), "--store", f"sqlite:///{tmp_path / 'lineage.db'}")
    assert code == 1 and f"{file}: {problem}" in output.replace("\n", "")


def test_what_was_imported_is_reported_in_its_language_and_can_be_imported_again(tmp_path: Path) -> None:
    file, text = tmp_path / "mappings.txt", tmp_path / "text.txt"
    store, other = (f"sqlite:///{tmp_path / name}" for name in ("lineage.db", "other.db"))
    file.write_text(TEXT + "  POPULATE REPORT.DAY WITH SALES.DAY\n")
    assert invoke("import", str(file), "--store", store)[0] == 0
    code, output = invoke("explain", "REPORT", "CITY", "--as", "mappings", "--store", store)
    assert code == 0
    assert output.startswith("# by mappings.txt: REPORT FROM SALES\nWHEN POPULATING REPORT FROM SALES\n")
    assert "REPORT.DAY" not in output and '    WITH SALES.TOWN IF SALES.KIND = "shop"\n' in output
    text.write_text(output)
    assert invoke("import", str(text), "--store", other) == (0, "1 events stored\n")


def test_a_form_that_there_is_not_is_refused(tmp_path: Path) -> None:
    code, output = invoke(
        "explain", "REPORT", "--as", "poem", "--store", f"sqlite:///{tmp_path / 'lineage.db'}"
    )
    assert code == 2
    assert "'sentences', 'mappings'" in output


def test_attributes_are_found_by_what_they_are_used_for_and_beside_what(tmp_path: Path) -> None:
    file, store = tmp_path / "mappings.txt", f"sqlite:///{tmp_path / 'lineage.db'}"
    file.write_text(TEXT + "  SELECT ROWS WHERE SALES.DAY > 5\n")
    assert invoke("import", str(file), "--store", store)[0] == 0
    asked = ("usages", "SALES", "TOWN", "--as", "value", "--store", store, "--together-with")
    code, output = invoke(*asked, "filter:SALES#DAY")
    assert code == 0
    row = "mappings.txt: REPORT FROM SALES\tREPORT\tSALES#TOWN\tvalue\tCITY\t\tSALES#DAY (filter)"
    assert row in output.splitlines()
    assert (
        invoke(*asked, "join:SALES#DAY")[1].count("\n") == 2
    )  # the headings, and that there is nothing to list
