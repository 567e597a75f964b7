"""What happens to files outside Spark: they are copied, moved, and converted."""

from __future__ import annotations

import random
from dataclasses import replace

from oracle.companies.company import Step
from oracle.companies.features import Feature
from oracle.companies.reading import Dataset


def copied(chance: random.Random, dataset: Dataset, name: str) -> tuple[Step, Dataset, bool]:
    """A step, the dataset that it makes, and whether the first one is there no more."""
    old, new = f'f"{{root}}/{dataset.name}"', f'f"{{root}}/{name}"'
    ways = ["copytree", "rename", "command"]
    if dataset.format == "parquet" and not dataset.by:
        ways += ["table", "table"]
    way = chance.choice(ways)
    made = replace(dataset, name=name)
    if way == "copytree":
        lines = ["import shutil", f"shutil.copytree({old}, {new})"]
    elif way == "rename":
        lines = ["import os", f"os.rename({old}, {new})"]
    elif way == "command":
        lines = ["import subprocess", f'subprocess.run(["cp", "-r", {old}, {new}], check=True)']
    else:
        lines = [
            "import os",
            "from pyarrow import parquet",
            f"os.makedirs({new})",
            f'parquet.write_table(parquet.read_table({old}), {new} + "/part.parquet")',
        ]
    step = Step(way, lines, frozenset({dataset.name}), frozenset({name}), frozenset({Feature.COPY}))
    return step, made, way == "rename"
