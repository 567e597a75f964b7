"""Declared user functions: the notation, the file, and the way from the user's Python to the agent's process."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import headwater_spark
from headwater_plan.declarations import DeclarationError, Flow, declaration, read_declarations
from headwater_spark.activation import declared
from headwater_spark.activation.declared import ENVIRONMENT, UDFS, DeclaredFunctions


@pytest.fixture(autouse=True)
def _apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A temporary folder and a registry of the test's own."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(declared, "_entries", {})
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    monkeypatch.setenv(ENVIRONMENT, "")
    monkeypatch.delenv(ENVIRONMENT)
    yield
    os.environ.pop(ENVIRONMENT, None)


def test_a_line_names_an_argument_and_a_place_of_the_result() -> None:
    lines = ["mail", "name.last -> surname", "items[].sku => skus[]", "props{} -> ?", "1 -> a.`b.c`"]
    found = declaration("f", lines, parameters=["name", "mail", "items", "props"])
    assert found.flows == (
        Flow(1, (), ()),
        Flow(0, ("last",), ("surname",)),
        Flow(2, ("_element", "sku"), ("skus", "_element"), moves=True),
        Flow(3, ("value",), None),
        Flow(1, (), ("a", "b.c")),
    )


def test_a_line_without_an_arrow_goes_where_the_function_writes() -> None:
    assert declaration("f", ["0", "1 -> other"], "key").flows == (
        Flow(0, (), ("key",)),
        Flow(1, (), ("other",)),
    )


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("nobody", "UDF_PARAMETER"),
        ("[].x", "UDF_PATH"),
        ("a[0]", "PATH_COLLECTION"),
        ("a -> b..c", "PATH_NAME_EXPECTED"),
    ],
)
def test_an_invalid_line_raises_an_error_with_a_hint(line: str, code: str) -> None:
    with pytest.raises(DeclarationError) as raised:
        declaration("f", [line], parameters=["a"])
    assert raised.value.code == code and raised.value.hint


def test_a_file_declares_functions_that_one_does_not_own(tmp_path: Path) -> None:
    file = tmp_path / "udfs.yaml"
    file.write_text(
        "udfs:\n  - name: score\n    parameters: [a, b]\n    reads: [a, 'b -> ?']\n    masking: true\n"
    )
    found = DeclaredFunctions({UDFS: str(file)}, jvm=1).find("score")
    assert found == read_declarations(file)["score"]
    assert found.masking and found.flows == (Flow(0, (), ()), Flow(1, (), None))
    assert DeclaredFunctions({UDFS: str(file)}, jvm=1).find("other") is None


@pytest.mark.parametrize(
    "text", ["[]", "udfs: 3", "udfs: [{}]", "udfs: [{name: f, read: [a]}]", ": : :", "udfs: [3]"]
)
def test_an_invalid_file_causes_a_warning_and_declares_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, text: str
) -> None:
    file = tmp_path / "udfs.yaml"
    file.write_text(text)
    assert DeclaredFunctions({UDFS: str(file)}, jvm=1).find("f") is None
    assert str(file) in caplog.text


def test_the_decorator_leaves_the_function_and_reaches_a_process_that_starts_later() -> None:
    def surname(name: str, salt: str) -> str:
        return name + salt

    assert headwater_spark.lineage(reads=["name.last"], masking=True)(surname) is surname
    found = DeclaredFunctions({}, jvm=1).find("surname")
    assert found is not None and found.masking and found.flows == (Flow(0, ("last",), ()),)


def test_it_reaches_the_process_of_an_existing_jvm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "1")
    headwater_spark.lineage(reads=["x"], name="registered")(lambda x: x)
    monkeypatch.delenv(ENVIRONMENT)
    assert DeclaredFunctions({}, jvm=os.getppid()).find("registered") is not None
    assert DeclaredFunctions({}, jvm=1).find("registered") is None


def test_a_later_declaration_is_seen_and_counts_for_more_than_the_file(tmp_path: Path) -> None:
    file = tmp_path / "udfs.json"
    file.write_text(json.dumps({"udfs": [{"name": "f", "reads": ["0"]}]}))
    headwater_spark.lineage(reads=["x"], name="g")(lambda x: x)
    functions = DeclaredFunctions({UDFS: str(file)}, jvm=1)
    assert functions.find("f") == declaration("f", ["0"])
    headwater_spark.lineage(reads=["x -> ?"], name="f")(lambda x: x)
    assert functions.find("f") == declaration("f", ["x -> ?"], parameters=["x"])


def test_a_file_that_others_can_write_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    headwater_spark.lineage(reads=["x"], name="f")(lambda x: x)
    Path(os.environ[ENVIRONMENT]).chmod(0o666)
    assert DeclaredFunctions({}, jvm=1).find("f") is None


def test_a_wrong_declaration_warns_and_the_function_works() -> None:
    with pytest.warns(RuntimeWarning, match="no such parameter"):
        function = headwater_spark.lineage(reads=["y"])(_same)
    assert function(3) == 3


def _same(x: int) -> int:
    return x


def test_a_python_that_runs_tasks_declares_nothing_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHON_WORKER_FACTORY_PORT", "1")
    headwater_spark.lineage(reads=["x"])(lambda x: x)
    assert ENVIRONMENT not in os.environ
