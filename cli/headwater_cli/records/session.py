"""The Spark session in which records are asked about."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@contextmanager
def spark_session(conf: Sequence[str]) -> Iterator[SparkSession]:
    """A session with these settings (``KEY=VALUE``) that ends afterwards; programs are found in the current folder."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName("headwater records").config("spark.ui.enabled", "false")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    for each in conf:
        name, equals, value = each.partition("=")
        if not equals:
            raise click.UsageError(f"--conf {each!r} is not KEY=VALUE")
        builder = builder.config(name, value)
    sys.path.insert(0, os.getcwd())  # noqa: PTH109 - where the program is looked for, as Python does
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    try:
        yield spark
    finally:
        sys.path.pop(0)
        spark.stop()
