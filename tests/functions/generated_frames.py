"""Writes functions over frames by chance: ``python -m functions.generated_frames --count 500``.

They are pipelines of steps as programs take them, each of a few lines.

A function takes an iterator of frames, the key and the frame of a group, or two frames, and gives back frames.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from random import Random
from typing import Any

import pandas as pd

from functions import generating, oracle
from functions.generating import Generator

FEW_CHANGES, FEW_VARIANTS = 2, 1
"""Other values of each cell that are tried, and other frames that are started from: there are many functions."""
COLUMNS = ("shop", "name", "n", "price")
FRAME = pd.DataFrame(
    {
        "shop": ["a", "b", "a"],
        "name": ["Ada Long", "Bob", "Cy"],
        "n": [3, 1, 2],
        "price": [2.5, 4.0, 1.0],
    }
)
OTHER = pd.DataFrame({"shop": ["a", "b", "c"], "boss": ["Eve", "Fay", "Gil"], "n": [7, 8, 9]})
TEXTS, NUMBERS = ("shop", "name"), ("n", "price")


class Writer:
    """Writes the body of one function; ``columns`` are those that its frame has by now."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance
        self.texts, self.numbers = list(TEXTS), list(NUMBERS)
        self.lines: list[str] = []
        self.made = 0

    def body(self) -> list[str]:
        """Some steps from ``df`` to ``df``."""
        steps = [
            self.computed,
            self.computed,
            self.chosen,
            self.filtered,
            self.filtered,
            self.sorted_,
            self.renamed,
            self.overwritten,
            self.branched,
            self.grouped,
            self.transformed,
            self.aggregated,
            self.merged,
            self.rebuilt,
            self.located,
            self.helped,
            self.concatenated,
        ]
        for _ in range(self.chance.randint(1, 5)):
            self.chance.choice(steps)()
        return self.lines

    def column(self) -> str:
        return self.chance.choice(self.texts + self.numbers)

    def some(self) -> list[str]:
        known = self.texts + self.numbers
        return self.chance.sample(known, self.chance.randint(1, len(known)))

    def new(self, columns: list[str]) -> str:
        self.made += 1
        columns.append(f"c{self.made}")
        return columns[-1]

    def text(self) -> str:
        if not self.texts:
            return f"df[{self.column()!r}].astype(str)"
        taken = self.chance.choice(self.texts)
        how = self.chance.choice(
            [
                "",
                ".str.upper()",
                ".str[:2]",
                ".str.strip().str.lower()",
                ".str.replace('a', '-')",
                ".map(lambda v: v[::-1] if isinstance(v, str) else v)",
                ".fillna('none')",
                ".apply(shortened)",
            ]
        )
        taken = self.chance.choice([f"df[{taken!r}]", f"df[{taken!r}]", f"df.loc[:, {taken!r}]"])
        return taken + how

    def number(self) -> str:
        if not self.numbers:
            return f"df[{self.column()!r}].astype(str).str.len()"
        one, other = self.chance.choice(self.numbers), self.chance.choice(self.numbers)
        return self.chance.choice(
            [
                f"df[{one!r}] + 1",
                f"df[{one!r}] * df[{other!r}]",
                f"df[{one!r}].rank()",
                f"df[{one!r}].cumsum()",
                f"df[{one!r}] / df[{one!r}].sum()",
                f"df[{one!r}].shift(1)",
                f"df[{one!r}].where(df[{other!r}] > 2, 0)",
                f"df[{one!r}].clip(0, 3)",
                f"np.where(df[{one!r}] > 2, df[{other!r}], 0)",
                f"[v * 2 for v in df[{one!r}]]",
            ]
        )

    def test(self) -> str:
        if self.numbers and self.chance.random() < 0.6:
            return f"df[{self.chance.choice(self.numbers)!r}] > {self.chance.randint(0, 3)}"
        column = self.column()
        return self.chance.choice([f"df[{column!r}].notna()", f"df[{column!r}].astype(str).str.len() > 1"])

    def computed(self) -> None:
        if self.chance.random() < 0.5:
            value, name = self.text(), self.new(self.texts)
        else:
            value, name = self.number(), self.new(self.numbers)
        self.lines.append(self.chance.choice([f"df[{name!r}] = {value}", f"df = df.assign({name}={value})"]))

    def overwritten(self) -> None:
        if self.texts:
            name = self.chance.choice(self.texts)
            self.lines.append(f"df[{name!r}] = {self.text()}")

    def chosen(self) -> None:
        kept = self.some()
        gone = [c for c in self.texts + self.numbers if c not in kept]
        self.lines.append(
            f"df = df[{kept!r}]" if self.chance.random() < 0.6 else f"df = df.drop(columns={gone!r})"
        )
        self.keep(kept)

    def keep(self, kept: list[str]) -> None:
        self.texts = [c for c in self.texts if c in kept]
        self.numbers = [c for c in self.numbers if c in kept]

    def filtered(self) -> None:
        self.lines.append(
            self.chance.choice(
                [
                    f"df = df[{self.test()}]",
                    f"df = df.loc[{self.test()}]",
                    f"df = df[({self.test()}) & ({self.test()})]",
                    f"df = df.drop_duplicates(subset=[{self.column()!r}])",
                    f"df = df.dropna(subset=[{self.column()!r}])",
                    "df = df.head(2)",
                ]
            )
        )

    def sorted_(self) -> None:
        self.lines.append(f"df = df.sort_values({self.column()!r}).reset_index(drop=True)")

    def renamed(self) -> None:
        columns = self.texts if self.texts and self.chance.random() < 0.5 else self.numbers
        if columns:
            old = columns.pop(self.chance.randrange(len(columns)))
            self.lines.append(f"df = df.rename(columns={{{old!r}: {self.new(columns)!r}}})")

    def branched(self) -> None:
        value, test = (
            self.number(),
            self.chance.choice([f"df[{self.column()!r}].notna().all()", "len(df) > 1"]),
        )
        name = self.new(self.numbers)
        self.lines += [f"if {test}:", f"    df[{name!r}] = {value}", "else:", f"    df[{name!r}] = 0"]

    def grouped(self) -> None:
        if self.numbers:
            key, value = self.column(), self.chance.choice(self.numbers)
            how = self.chance.choice(["sum", "mean", "max", "count", "first", "nunique"])
            if key != value:
                self.lines.append(f"df = df.groupby({key!r})[{value!r}].{how}().reset_index()")
                self.keep([key, value])

    def transformed(self) -> None:
        if self.numbers:
            key, value = self.column(), self.chance.choice(self.numbers)
            how = self.chance.choice(
                ["transform('sum')", "transform('max')", "rank()", "cumsum()", "shift(1)"]
            )
            name = self.new(self.numbers)
            self.lines.append(f"df[{name!r}] = df.groupby({key!r})[{value!r}].{how}")

    def aggregated(self) -> None:
        key, value = self.column(), self.column()
        if key != value:
            how = self.chance.choice(["min", "max", "count", "first"])
            name = f"c{self.made + 1}"
            self.made += 1
            self.lines.append(f"df = df.groupby({key!r}, as_index=False).agg({name}=({value!r}, {how!r}))")
            kept_text = key in self.texts
            self.texts, self.numbers = ([key] if kept_text else []), ([] if kept_text else [key])
            (self.texts if how != "count" and value in TEXTS else self.numbers).append(name)

    def merged(self) -> None:
        if "shop" in self.texts and "boss" not in self.texts:
            self.lines.append("df = df.merge(other, on='shop', how='left')")
            self.texts.append("boss")
            if "n" in self.numbers:
                self.numbers.remove("n")
                self.numbers += ["n_x", "n_y"]
            else:
                self.numbers.append("n")

    def rebuilt(self) -> None:
        texts, numbers = [self.text() for _ in range(1)], [self.number() for _ in range(1)]
        self.texts, self.numbers = [], []
        parts = [f"{self.new(self.texts)!r}: {t}" for t in texts]
        parts += [f"{self.new(self.numbers)!r}: {n}" for n in numbers]
        self.lines.append(f"df = pd.DataFrame({{{', '.join(parts)}}})")

    def located(self) -> None:
        if self.texts:
            name = self.chance.choice(self.texts)
            self.lines.append(f"df.loc[{self.test()}, {name!r}] = 'set'")

    def helped(self) -> None:
        self.lines.append("df = cleaned(df)")

    def concatenated(self) -> None:
        self.lines.append("df = pd.concat([df, df.head(1)], ignore_index=True)")


HELPERS = """
import numpy as np
import pandas as pd


def shortened(value):
    return value[:1] if isinstance(value, str) else value


def cleaned(df):
    out = df.copy()
    return out[out.index >= 0]

"""


def _ends(function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    """Raises if it does not end, or gives nothing."""
    result = function(*[a.copy() if hasattr(a, "copy") else a for a in arguments])
    if not list(result):
        raise ValueError


def written(chance: Random, name: str) -> tuple[str, tuple[Any, ...]]:
    lines = Writer(chance).body()
    needs_other = any("other" in line for line in lines)
    match chance.randrange(3):
        case 0 if not needs_other:
            body = [f"    {line}" for line in ["df = df.copy()", *lines]]
            text = [
                f"def {name}(frames):",
                "    for df in frames:",
                *(f"    {b}" for b in body),
                "        yield df",
            ]
            return "\n".join(text), ([FRAME, FRAME.iloc[::-1].reset_index(drop=True)],)
        case 1 if not needs_other:
            text = [
                f"def {name}(key, df):",
                *(f"    {line}" for line in lines),
                "    df['key'] = key[0]",
                "    return df",
            ]
            return "\n".join(text), (("a",), FRAME)
        case _:
            text = [f"def {name}(df, other):", *(f"    {line}" for line in lines), "    return df"]
            return "\n".join(text), (FRAME, OTHER)


GENERATOR = Generator("generated_frames_of_test", HELPERS, written, _ends)

if __name__ == "__main__":
    oracle.FEW_CHANGES, oracle.FEW_VARIANTS = FEW_CHANGES, FEW_VARIANTS
    raise SystemExit(generating.main(GENERATOR, sys.argv[1:]))
