"""The tokens of people and visits, which values made of them carry along; the files are read by pandas, one by one."""

import re
from pathlib import Path

import pandas as pd


def tokens(values):
    """Those that are in some values, in order."""
    return sorted(set(re.findall(r"[PV]\d\dX", " ".join(map(str, values)))))


def token_at(folder):
    """The token of each record of the first sources, by file and position."""
    found = {}
    for file in Path(f"{folder}/people").glob("part-*"):
        for place, token in enumerate(pd.read_parquet(file)["token"], 1):
            found[file.name, place] = token
    for place, line in enumerate(Path(f"{folder}/visits.csv").read_text().split(), 1):
        found["visits.csv", place] = line.partition(",")[2]
    return found
