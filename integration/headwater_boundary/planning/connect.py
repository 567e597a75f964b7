"""Plans programs that are clients of Spark Connect: in a classic session of this process, in place of the server's.

A client hands all that it does to a server, which would run it. So while a program is planned, the builder gives it a
classic session, in which the same statements make the same plans. Where the two interfaces differ, the program meets
what it would meet as a client: what a client has not raises PySpark's own error, and what a client alone has is left
out, and named where it could matter. A client's frames are analysed anew each time that they are used; where that
makes another plan (of a temporary view that was replaced), the write is named.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Final
from urllib.parse import urlsplit

import pyspark.util
from pyspark import SparkContext
from pyspark.errors import AnalysisException, PySparkAttributeError
from pyspark.sql import DataFrame, SparkSession

from headwater_boundary.planning.program import (
    MARKS_OF_CLIENTS,
    Line,
    Program,
    Stop,
    called_by_planning,
    users_line,
)
from headwater_boundary.planning.replaced import Replaced
from headwater_boundary.planning.unknown import Unknown

_CLASSIC: Final = {
    **dict.fromkeys(("SPARK_REMOTE", *MARKS_OF_CLIENTS)),
    "SPARK_API_MODE": "classic",
    "SPARK_CONNECT_MODE": "0",
}
"""The variables of a classic program; None for one that it has not."""
_REMOTE, _MODE, _MASTER = "spark.remote", "spark.api.mode", "spark.master"
_OF_DRIVERS: Final = (
    *((SparkSession, each) for each in ("sparkContext", "_jvm", "_jsparkSession", "_jsc", "_jconf")),
    *((DataFrame, each) for each in ("_jdf", "rdd")),
)
_WITHOUT_EFFECT: Final = (
    *("addArtifact", "addArtifacts", "addTag", "removeTag", "clearTags"),
    *("interruptAll", "interruptTag", "interruptOperation"),
    *("registerProgressHandler", "removeProgressHandler", "clearProgressHandlers"),
)
"""What a client asks its server for beside data: no plan shows it."""
_OF_CLIENTS: Final = {"client": "its connection to the server", "session_id": "its session on the server"}
_SHARED: Final = {
    f"pyspark.sql.connect.{each}": f"pyspark.sql.{each}"
    for each in ("functions", "window", "session", "dataframe", "column")
}
"""Modules of clients, and those that have the same names for the planned session."""


class Client:
    """A program as a client of a server; ``server`` is empty as long as it is none."""

    def __init__(self, program: Program, replaced: Replaced) -> None:
        self.server = ""
        self._program = program
        self._replaced = replaced
        self._is_classic = False

    def replace(self) -> None:
        """Have the builders of sessions give the program a classic one."""
        classic = SparkSession.Builder.getOrCreate
        for name in ("getOrCreate", "create"):
            self._replaced.put(SparkSession.Builder, name, lambda before: self._session(before, classic))
        package = import_module("pyspark.sql.connect")
        for name, own in _SHARED.items():
            module = import_module(own)
            self._replaced.set(package, name.rpartition(".")[2], module)
            self._replaced.put_module(name, module)
        for name, loaded in list(sys.modules.items()):
            if name.partition(".")[0] == "pyspark" and "is_remote" in vars(loaded):
                self._replaced.set(loaded, "is_remote", self._is_remote)

    def _session(self, before: Callable[[Any], Any], classic: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def get_or_create(builder: Any) -> Any:
            url = _url(builder._options)
            if url is None or self._is_classic:  # PySpark refuses both in one program
                self._is_classic = True
                return before(builder)
            self._become(url)
            plain = SparkSession.Builder()
            plain._options = {k: v for k, v in builder._options.items() if k not in (_REMOTE, _MODE)}
            plain._options.setdefault(_MASTER, url if url.startswith("local") else "local[1]")
            with _environment(_CLASSIC):
                session = classic(plain)
                return session.newSession() if before.__name__ == "create" else session

        return get_or_create

    def _is_remote(self) -> bool:
        """PySpark's question, which the program may ask as well."""
        return bool(self.server) and not called_by_planning()

    def _become(self, url: str) -> None:
        server = _without_secrets(url)
        if not self.server:
            self.server = self._program.server = server
            self._hide_driver()
            self._show_client()
        elif server != self.server:
            self._name(f"it is a client of {server} and of {self.server}; what is there is taken as one")

    def _name(self, reason: str) -> None:
        self._program.stops.append(Stop(self._here, reason))

    @property
    def _here(self) -> Line:
        return users_line(self._program.script)

    def _hide_driver(self) -> None:
        """Let the program meet what a client meets that looks for a driver."""
        for owner, name in _OF_DRIVERS:
            place = classic_frame() if owner is DataFrame else owner
            self._replaced.set(place, name, _OfDriver(name, vars(place).get(name)))
        self._replaced.put(SparkContext, "__init__", _no_context)
        self._replaced.put(
            SparkContext, "getOrCreate", lambda before: classmethod(_no_context(before.__func__))
        )

    def _show_client(self) -> None:
        """Let the program use what a client alone has."""
        for name in _WITHOUT_EFFECT:
            self._replaced.set(SparkSession, name, lambda *_, **__: None)
        self._replaced.set(SparkSession, "getTags", lambda _: set())
        for name, what in _OF_CLIENTS.items():
            self._replaced.set(SparkSession, name, property(self._only_of_clients(name, what)))
        self._replaced.set(SparkSession, "copyFromLocalToFs", self._copied())

    def _only_of_clients(self, name: str, what: str) -> Callable[[Any], Unknown]:
        def get(_: Any) -> Unknown:
            self._name(f"it uses {what} ({name}), and what it does there is not planned")
            return Unknown(name, str(self._here))

        return get

    def _copied(self) -> Callable[..., None]:
        def copy(_: Any, local_path: str, dest_path: str) -> None:
            self._name(f"copyFromLocalToFs would copy {local_path} to {dest_path}, which is not planned")

        return copy


def in_place_of(server: str, error: Exception) -> str:
    """What may have led to an error of Spark in a session that is not the server's; empty where nothing did."""
    if not server.startswith("sc://") or not isinstance(error, AnalysisException):
        return ""
    return f" (planned in a session of this machine, which knows neither tables nor files of {server})"


class _OfDriver:
    """An attribute that PySpark itself has, and its user has not."""

    def __init__(self, name: str, before: Any) -> None:
        self._name, self._before = name, before

    def __get__(self, owner: Any, kind: type | None = None) -> Any:
        if owner is None:
            return self
        if not called_by_planning():
            raise PySparkAttributeError(None, "JVM_ATTRIBUTE_NOT_SUPPORTED", {"attr_name": self._name})
        if self._before is not None:
            return self._before.__get__(owner, kind)
        try:
            return owner.__dict__[self._name]
        except KeyError:
            raise AttributeError(self._name) from None

    def __set__(self, owner: Any, value: Any) -> None:
        owner.__dict__[self._name] = value


def _no_context(before: Callable[..., Any]) -> Callable[..., Any]:
    def refuse(owner: Any, *args: Any, **kwargs: Any) -> Any:
        if called_by_planning():
            return before(owner, *args, **kwargs)
        raise RuntimeError("a client of Spark Connect cannot create a SparkContext")

    return refuse


def classic_frame() -> Any:
    """The class of data frames that have a driver."""
    try:
        return import_module("pyspark.sql.classic.dataframe").DataFrame  # Spark 4 alone has it
    except ImportError:
        return DataFrame


def _url(options: Mapping[str, Any]) -> str | None:
    """The server of which the builder would make a client, as PySpark finds it; None where it would make none."""
    url = options.get(_REMOTE, os.environ.get("SPARK_REMOTE"))
    if url is not None:
        return str(url)
    default = getattr(pyspark.util, "default_api_mode", None)  # before Spark 4, the address alone decides
    if default is None:
        return None
    mode = str(options.get(_MODE, os.environ.get("SPARK_API_MODE", ""))).lower()
    if (mode if mode in ("classic", "connect") else default()) != "connect":
        return None
    return str(options.get(_MASTER, os.environ.get("MASTER", "local")))


def _without_secrets(url: str) -> str:
    """The address alone: parameters may have a token."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}" if parts.scheme == "sc" else url


@contextmanager
def _environment(changes: Mapping[str, str | None]) -> Iterator[None]:
    before = {key: os.environ.get(key) for key in changes}
    try:
        _set(changes)
        yield
    finally:
        _set(before)


def _set(values: Mapping[str, str | None]) -> None:
    for key, value in values.items():
        if value is None:
            os.environ.pop(key, None)
        else:
            os.environ[key] = value
