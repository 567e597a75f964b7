"""The Dockerfile and the compose file say what is the case: files, ports, users, settings that there are."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import click
import pytest
import yaml
from packaging.requirements import Requirement
from pydantic import ValidationError

from headwater_backend.settings import ELSEWHERE, Settings, variables
from headwater_cli.main import cli
from kit.shared import ROOT

DOCKERFILE = ROOT / "deploy" / "docker" / "Dockerfile"
COMPOSE = ROOT / "deploy" / "docker" / "compose.yaml"
OF_THE_SYSTEM = {"PATH", "PYTHONUNBUFFERED"}
OF_NEO4J = {"NEO4J_USERNAME", "NEO4J_PASSWORD", "NEO4J_DATABASE"}


class Step(NamedTuple):
    stage: str
    instruction: str
    text: str


def steps() -> list[Step]:
    """The Dockerfile's instructions, each in the stage it belongs to."""
    text = re.sub(r"^\s*#.*\n", "", DOCKERFILE.read_text("utf-8"), flags=re.MULTILINE).replace("\\\n", " ")
    stage, found = "", []
    for line in filter(str.strip, text.splitlines()):
        instruction, _, rest = line.strip().partition(" ")
        if instruction == "FROM":
            stage = rest.rpartition(" AS ")[2]
        found.append(Step(stage, instruction, rest.strip()))
    return found


def texts(instruction: str, stage: str | None = None) -> list[str]:
    return [each.text for each in steps() if each.instruction == instruction and stage in (None, each.stage)]


def environment_of_the_image() -> dict[str, str]:
    return dict(pair.split("=", 1) for text in texts("ENV", "server") for pair in shlex.split(text))


def compose() -> dict[str, Any]:
    services: dict[str, Any] = yaml.safe_load(COMPOSE.read_text("utf-8"))
    return services


def defaulted(text: str) -> str:
    """The text as compose reads it where no variable of the shell is set."""
    return re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", text)


@pytest.fixture
def surroundings(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Sets the environment that a container has, and nothing else of ours."""
    for name in variables():
        monkeypatch.delenv(name, raising=False)

    def set_up(environment: dict[str, str]) -> None:
        for name, value in environment.items():
            if name in variables():
                monkeypatch.setenv(name, value)

    return set_up


def test_the_dockerfile_passes_its_linter() -> None:
    linter = Path(sys.executable).parent / "hadolint"
    linted = subprocess.run([linter, DOCKERFILE], capture_output=True, text=True, check=False)
    assert (linted.returncode, linted.stdout) == (0, "")


def test_every_stage_comes_from_one_image_of_no_particular_registry() -> None:
    assert texts("ARG") == ["PYTHON=python:3.12-slim-bookworm"]
    assert {text.split()[0] for text in texts("FROM")} == {"${PYTHON}"}


def test_the_server_is_nobody_and_brings_no_tools() -> None:
    assert texts("USER", "server") == ["10001:10001"]
    assert texts("USER", "demo") == ["10001:10001"]
    assert not [text for text in texts("RUN", "server") if "pip" in text or "apt-get" in text]
    assert json.loads(texts("ENTRYPOINT", "server")[0] or "") == ["headwater"]
    (command,) = json.loads(texts("CMD", "server")[0])
    assert command in cli.list_commands(click.Context(cli))


def test_only_locked_packages_are_installed() -> None:
    installs = re.findall(r"pip install ([^&]+)", " ".join(texts("RUN")))
    assert len(installs) == 4
    for arguments in installs:
        assert "--require-hashes -r requirements/" in arguments or "--no-deps" in arguments


def test_the_lock_of_the_image_has_what_the_server_needs() -> None:
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    extras = re.findall(r"^(?:backend|traces) = \[\n(.*?)^\]", project, re.MULTILINE | re.DOTALL)
    assert len(extras) == 2
    needed = {
        Requirement(text).name.lower() for text in re.findall(r'^  "([^"]+)"', "".join(extras), re.MULTILINE)
    }
    lock = (ROOT / "requirements" / "server.txt").read_text("utf-8")
    assert needed - {"headwater"} <= set(re.findall(r"^([a-z0-9._-]+)==", lock, re.MULTILINE))


def test_what_is_copied_is_there_and_reaches_the_build() -> None:
    ignored = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    let_in = [line[1:] for line in ignored if line.startswith("!")]
    for text in texts("COPY"):
        if text.startswith("--from="):
            continue
        for source in text.split()[:-1]:
            assert (ROOT / source).exists(), source
            assert source == "." or any(f"{source}/".startswith(f"{each}/") for each in let_in), source


def test_every_package_of_the_wheel_is_copied() -> None:
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    (listed,) = re.findall(r"^packages = \[\n(.*?)^\]", project, re.MULTILINE | re.DOTALL)
    packages = re.findall(r'"([^"]+)"', listed)
    copied = [source for text in texts("COPY") for source in text.split()[:-1]]
    assert packages
    for package in packages:
        assert any(f"{package}/".startswith(f"{source}/") for source in copied), package


def test_the_image_s_settings_exist_and_the_port_is_the_server_s(surroundings: Any) -> None:
    environment = environment_of_the_image()
    assert set(environment) - OF_THE_SYSTEM <= set(variables())
    assert texts("EXPOSE", "server") == [str(Settings.model_fields["port"].default)]
    surroundings(environment)
    with pytest.raises(ValidationError, match="HEADWATER_KEYS_FILE"):
        Settings()
    assert Settings(keys_file=Path("keys.json")).host == "0.0.0.0"


def test_health_is_asked_where_it_is_answered() -> None:
    from headwater_backend.server.authentication import HEALTH

    (check,) = texts("HEALTHCHECK", "server")
    port = Settings.model_fields["port"].default
    (path,) = re.findall(rf"http://127\.0\.0\.1:{port}(/[a-z/]+)", check)
    assert path in HEALTH


def test_compose_builds_stages_that_there_are() -> None:
    stages = {each.stage for each in steps()}
    for name in ("headwater", "demo"):
        build = compose()["services"][name]["build"]
        assert (COMPOSE.parent / build["context"]).resolve() == ROOT
        assert ROOT / build["dockerfile"] == DOCKERFILE
        assert build["target"] in stages


def test_compose_opens_the_server_to_this_machine_only(surroundings: Any) -> None:
    services = compose()["services"]
    assert [port for each in services.values() for port in each.get("ports", [])] == ["127.0.0.1:8055:8055"]
    environment = services["headwater"]["environment"]
    assert set(environment) <= {*variables(), *ELSEWHERE, *OF_NEO4J}
    surroundings(
        {**environment_of_the_image(), **{name: defaulted(text) for name, text in environment.items()}}
    )
    settings = Settings()
    assert settings.trusted_proxies == ()
    assert settings.hosts() == frozenset({"127.0.0.1", "::1", "localhost", "headwater"})
    assert settings.store == f"bolt://neo4j:{7687}"


def test_compose_holds_no_password() -> None:
    assert "PASSWORD:?" in services_text()
    for line in services_text().splitlines():
        if "PASSWORD:" in line or "NEO4J_AUTH:" in line:
            assert "${NEO4J_PASSWORD:?" in line


def services_text() -> str:
    return re.sub(r"^\s*#.*\n", "", COMPOSE.read_text("utf-8"), flags=re.MULTILINE)


def test_what_the_server_writes_lies_in_its_volume() -> None:
    server = compose()["services"]["headwater"]
    assert server["read_only"] is True
    (volume,) = server["volumes"]
    assert [volume.split(":")[1]] == json.loads(texts("VOLUME", "server")[0])
    assert server["environment"]["HEADWATER_JOURNAL"].startswith(volume.split(":")[1])


def test_the_demo_s_commands_exist() -> None:
    (script,) = compose()["services"]["demo"]["command"]
    for command in script.split("&&"):
        program, name, *rest = shlex.split(command)
        assert program == "headwater"
        shown = cli.get_command(click.Context(cli), name)
        assert shown is not None, name
        known = {option for parameter in shown.params for option in parameter.opts}
        assert {word for word in rest if word.startswith("--")} <= known
