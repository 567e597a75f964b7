"""Writes functions over series of pandas by chance: ``python -m functions.generated_series --count 2000``.

They take a series of texts, of numbers and of days, and give back a series, or a frame that becomes a record.
"""

from __future__ import annotations

import sys
from random import Random
from typing import Any

import pandas as pd

from functions import generating, oracle
from functions.generating import Generator
from functions.grammar import Grammar, Writer

FEW_CHANGES, FEW_VARIANTS = 2, 1
"""Other values of each cell that are tried, and other series that are started from: there are many functions."""
ARGUMENTS = (
    pd.Series(["Ada Long", "bob-1", "Cy  X"]),
    pd.Series([3.5, 20.0, 120.0]),
    pd.Series(["2024-01-05", "2023-12-31", "2020-02-29"]),
)

HELPERS = """
import hashlib
import numpy as np
import pandas as pd

RATES = {"a": 1.0, "b": 2.5}


def cleaned(texts):
    return texts.fillna("").str.strip().str.lower()


def token(value):
    return hashlib.sha256(f"salt{value}".encode()).hexdigest()[:8]


def scaled(values):
    low, high = values.min(), values.max()
    return (values - low) / (high - low) if high > low else values * 0


def band(value):
    return "low" if value < 10 else "high"

"""

EXPRESSIONS = {
    "text": [
        *("names", "days", "names.str.upper()"),
        "cleaned(<text>)",
        "<text>.str.strip()",
        "<text>.str.split('-').str[0]",
        "<text>.str.replace('a', 'o')",
        "<text>.str.replace(r'[^a-z]', '', regex=True)",
        "<text>.str.slice(0, 3)",
        "<text>.str[:4]",
        "<text>.str.cat(<text>, sep='/')",
        "<text> + '-' + <text>",
        "<text>.map(token)",
        "<text>.apply(lambda t: t[::-1] if isinstance(t, str) else t)",
        "<text>.fillna('none')",
        "<text>.where(<test>, 'other')",
        "<text>.mask(<test>, <text>)",
        "<number>.map(band)",
        "<number>.astype(str)",
        "<number>.round(1).astype(str)",
        "<text>.str.zfill(9)",
        "pd.Series(np.where(<test>, <text>, <text>))",
        "pd.Series([token(t) for t in <text>])",
        "pd.Series([f'{t}:{n}' for t, n in zip(<text>, <number>)])",
        "<text>.combine_first(<text>)",
        "<date>.dt.strftime('%Y-%m')",
        "<date>.dt.day_name()",
        "<text>.str.extract(r'([a-z]+)', expand=False)",
    ],
    "number": [
        *("amounts", "amounts * 2"),
        "<number> + <number>",
        "<number> * 1.1",
        "<number> / 3",
        "<number>.clip(0, 100)",
        "<number>.fillna(0)",
        "<number>.round(0)",
        "<number>.abs()",
        "<number>.rank()",
        "<number>.cumsum()",
        "<number>.shift(1).fillna(0)",
        "<number>.where(<test>, 0)",
        "scaled(<number>)",
        "<text>.str.len()",
        "<text>.str.count('a')",
        "np.log1p(<number>.abs())",
        "pd.Series(np.where(<test>, <number>, 0))",
        "<number> - <number>.mean()",
        "<date>.dt.year",
        "(<date> - <date>).dt.days",
        "<test>.astype(int)",
        "<text>.map(len)",
        "<text>.str[0].map(RATES).fillna(1.0)",
        "pd.Series(np.maximum(<number>, <number>))",
        "<number>.apply(lambda n: n ** 2 if n > 3 else -n)",
        "<number>.groupby(<text>).transform('sum')",
    ],
    "test": [
        *("amounts > 10", "names.notna()"),
        "<number> > <number>",
        "<number>.between(2, 60)",
        "<text>.str.contains('a', na=False)",
        "<text>.str.startswith('A', na=False)",
        "<text>.isin(['bob-1', 'x'])",
        "(<test>) & (<test>)",
        "(<test>) | (<test>)",
        "~(<test>)",
        "<text> == <text>",
        "<text>.isna()",
        "<text>.duplicated()",
        "<date>.dt.month > 6",
    ],
    "date": ["pd.to_datetime(days)", "pd.to_datetime(<date>).dt.normalize()", "<date> + pd.Timedelta(days=3)"],
}  # fmt: skip

STATEMENTS = [
    *(("text", "@ = <text>"),) * 3,
    *(("number", "@ = <number>"),) * 3,
    ("test", "@ = <test>"),
    ("number", "@ = <number>.copy()\n@[<test>] = 0"),
    ("text", "@ = <text>.copy()\n@.loc[<test>] = 'set'"),
    ("number", "if <number>.max() > 50:\n    @ = <number>\nelse:\n    @ = <number>"),
    ("number", "@ = <number>\nfor step in (1, 2):\n    @ = @ + step * <number>"),
    ("text", "try:\n    @ = <text>\nexcept ValueError:\n    @ = names"),
    ("text", "parts = <text>.str.split(' ', expand=True)\n@ = parts[0]"),
    (
        "number",
        "frame = pd.DataFrame({'t': <text>, 'n': <number>})\n"
        "@ = frame.groupby('t')['n'].transform('mean')",
    ),
    (
        "text",
        "frame = pd.DataFrame({'t': <text>, 'n': <number>})\n"
        "@ = frame.apply(lambda r: f\"{r['t']}{r.n}\", axis=1)",
    ),
]  # fmt: skip

RESULTS = [
    "<text>",
    "<number>",
    "<test>",
    "pd.DataFrame({'t': <text>, 'n': <number>})",
    "pd.DataFrame({'a': <text>, 'b': <text>, 'c': <test>})",
    "pd.DataFrame({'t': <text>}).assign(n=<number>, k=lambda d: d['t'].str.len())",
    "pd.concat([<text>.rename('t'), <number>.rename('n')], axis=1)",
]

GRAMMAR = Grammar(EXPRESSIONS, STATEMENTS, RESULTS)


def written(chance: Random, name: str) -> tuple[str, tuple[Any, ...]]:
    """The source of one function, and its arguments."""
    return Writer(GRAMMAR, chance).function(f"def {name}(names, amounts, days):", 4), ARGUMENTS


GENERATOR = Generator("generated_series_of_test", HELPERS, written)

if __name__ == "__main__":
    oracle.FEW_CHANGES, oracle.FEW_VARIANTS = FEW_CHANGES, FEW_VARIANTS
    raise SystemExit(generating.main(GENERATOR, sys.argv[1:]))
