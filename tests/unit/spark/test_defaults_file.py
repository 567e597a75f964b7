"""Switching the agent on and off in a configuration file of the user's."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater_spark.activation.agent_settings import CLASS_PATH_KEY, PYTHON_KEY, SOURCE_KEY
from headwater_spark.activation.defaults import properties
from headwater_spark.activation.defaults_file import (
    BEGIN,
    END,
    DefaultsFileError,
    problems,
    put_into,
    take_out_of,
    with_agent,
    without_agent,
)

JAR = "/opt/headwater-spark.jar"
OURS = {CLASS_PATH_KEY: JAR, SOURCE_KEY: "io.headwater.spark.HeadwaterSource", PYTHON_KEY: "/opt/python"}
FILES = [
    None,
    "",
    "\n",
    "spark.a 1",
    "# mine\n\nspark.jars a.jar\nspark.extraListeners theirs\n",
    "spark.driver.extraClassPath /a/*\nspark.b 2\n",
    "spark.driver.extraClassPath=/a:/b   ",
    "spark.driver.extraClassPath /dropped\r\nspark.driver.extraClassPath: /a,\\\r\n  more\t\r\n",
    "spark.driver.extraClassPath\n",
    "spark.driver.extraClassPath =  \n",
    "spark.windows C:\\\\jars\nspark.\udcff odd \u2028 line\n",
]


@pytest.mark.parametrize("before", FILES)
def test_taking_out_restores_every_byte(before: str | None) -> None:
    assert without_agent(with_agent(before, OURS)) == before


@pytest.mark.parametrize("before", FILES)
def test_putting_in_twice_is_putting_in_once(before: str | None) -> None:
    once = with_agent(before, {**OURS, "spark.openlineage.transport.url": "http://a"})

    assert with_agent(with_agent(before, OURS), OURS) == with_agent(before, OURS)
    assert with_agent(once, OURS) == with_agent(before, OURS)


@pytest.mark.parametrize("before", FILES)
def test_no_setting_of_the_users_is_dropped(before: str | None) -> None:
    own, after = properties(before or ""), properties(with_agent(before, OURS))
    class_path = [part for part in own.pop(CLASS_PATH_KEY, "").split(os.pathsep) if part]

    assert own.items() <= after.items()
    assert after[CLASS_PATH_KEY].split(os.pathsep) == [*class_path, JAR]
    assert {key: after[key] for key in (SOURCE_KEY, PYTHON_KEY)}.items() <= OURS.items()


_WORDS = st.sampled_from(
    [
        CLASS_PATH_KEY,
        "spark.jars",
        "spark.a",
        " ",
        "=",
        ":",
        "\n",
        "\r\n",
        "\\",
        "\\\n",
        "#",
        "!",
        "/a",
        "x",
        "\t",
    ]
)


@given(st.lists(_WORDS, max_size=30).map("".join))
def test_any_file_is_restored_or_refused(before: str) -> None:
    try:
        after = with_agent(before, OURS)
    except DefaultsFileError:
        return
    assert without_agent(after) == before
    assert JAR in properties(after)[CLASS_PATH_KEY].split(os.pathsep)


def test_what_was_edited_since_stays(tmp_path: Path) -> None:
    file = tmp_path / "spark-defaults.conf"
    file.write_text("spark.driver.extraClassPath /a\nspark.b 1\n")
    put_into(file, OURS)
    file.write_text(
        file.read_text().replace(f":{JAR}", f":{JAR}:/late").replace("spark.b 1", "spark.b 2") + "spark.c 3\n"
    )

    assert take_out_of(file)
    assert file.read_text() == "spark.driver.extraClassPath /a:/late\nspark.b 2\nspark.c 3\n"


def test_a_python_of_the_users_stays_unless_another_is_asked_for() -> None:
    own = f"{PYTHON_KEY} /theirs\n"

    assert properties(with_agent(own, OURS))[PYTHON_KEY] == "/theirs"
    with pytest.raises(DefaultsFileError, match="line 1 "):
        with_agent(own, OURS, is_python_asked=True)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a 1\nspark.x \\u12\n", "line 2 "),
        (f"a 1\n{BEGIN}\nb 2\n", r"\(line 2\)"),
        (f"{END}\n{BEGIN}\n", r"\(line 1, 2\)"),
        ("a 1\n\nspark.extraListeners x,io.headwater.spark.HeadwaterListener\n", "line 3 "),
        (f"spark.jars /b.jar,{JAR}\n", "line 1 "),
        (f"{CLASS_PATH_KEY}\\\n \n", "line 1 ends with a backslash"),
        (f"\n{SOURCE_KEY} another.Source\n", "line 2 sets"),
    ],
)
def test_what_cannot_be_kept_apart_is_refused_by_its_line(text: str, reason: str) -> None:
    with pytest.raises(DefaultsFileError, match=reason):
        with_agent(text, OURS)


def test_a_link_stays_a_link_and_the_mode_stays(tmp_path: Path) -> None:
    real, link = tmp_path / "real.conf", tmp_path / "spark-defaults.conf"
    real.write_text("spark.a 1\n")
    real.chmod(0o640)
    link.symlink_to(real)
    put_into(link, OURS)

    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640
    assert SOURCE_KEY in real.read_text()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["real.conf", "spark-defaults.conf"]


def test_a_file_that_did_not_exist_is_deleted_again(tmp_path: Path) -> None:
    file = tmp_path / "spark-defaults.conf"
    put_into(file, OURS)

    assert take_out_of(file)
    assert not file.exists()
    assert not take_out_of(file)


def test_a_check_names_each_line_that_is_in_the_way(tmp_path: Path) -> None:
    file = tmp_path / "spark-defaults.conf"
    own = "spark.jars a.jar\nspark.jars b.jar\nspark.extraListeners io.headwater.spark.HeadwaterListener\n"
    file.write_text(own)
    first, second, third = problems(file)

    assert first.startswith("line 1 sets spark.jars, but line 2 overrides it")
    assert second.startswith("line 3 names a class of Headwater")
    assert third.startswith("the agent is not switched on")


def test_a_check_looks_for_the_jar_and_for_the_python(tmp_path: Path) -> None:
    file, jar = tmp_path / "spark-defaults.conf", tmp_path / "headwater-spark.jar"
    put_into(file, {**OURS, CLASS_PATH_KEY: str(jar)})
    assert [*problems(file)] == [
        f"the jar {jar} does not exist on this machine",
        "line 4: /opt/python cannot be run on this machine (FileNotFoundError)",
    ]
    jar.touch()
    put_into(file, {**OURS, CLASS_PATH_KEY: str(jar), PYTHON_KEY: sys.executable})
    assert not [*problems(file)]
    file.write_text(file.read_text() + "spark.driver.extraClassPath /later\n")
    assert len([*problems(file)]) == 2
