"""Building the jar with nothing but a JDK and pyspark."""

from __future__ import annotations

import importlib.util
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

from kit.shared import ROOT


@pytest.fixture(scope="module")
def build_jar() -> ModuleType:
    spec = importlib.util.spec_from_file_location("build_jar", ROOT / "integration" / "jvm" / "build_jar.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def jar(build_jar: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A jar that was built into a folder that was not there."""
    built = tmp_path_factory.mktemp("built") / "jars" / "one.jar"
    assert build_jar.build(built) is True
    return built


def test_the_same_sources_give_the_same_bytes(build_jar: ModuleType, jar: Path, tmp_path: Path) -> None:
    build_jar.build(tmp_path / "other.jar")

    assert (tmp_path / "other.jar").read_bytes() == jar.read_bytes()


def test_a_jar_is_built_once_and_carries_the_version(build_jar: ModuleType, jar: Path) -> None:
    before = jar.stat().st_mtime_ns

    assert build_jar.build(jar) is False
    assert jar.stat().st_mtime_ns == before
    with zipfile.ZipFile(jar) as opened:
        manifest = opened.read("META-INF/MANIFEST.MF").decode()
        version = opened.read("io/headwater/spark/version.txt").decode().strip()
        # Spark 3.5 runs on Java 8, whose class files are of version 52.
        assert opened.read("io/headwater/spark/HeadwaterListener.class")[6:8] == b"\x00\x34"
    assert f"Implementation-Version: {version}\r\n" in manifest


def test_a_missing_compiler_is_reported_with_how_to_get_one(
    build_jar: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)

    with pytest.raises(build_jar.MissingError, match=r"apt-get install openjdk-17-jdk-headless"):
        build_jar.build(tmp_path / "a.jar")


def test_a_missing_spark_is_reported_with_how_to_get_one(
    build_jar: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)

    with pytest.raises(build_jar.MissingError, match=r"pip install 'pyspark"):
        build_jar.build(tmp_path / "a.jar")
