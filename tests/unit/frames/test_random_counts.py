"""How many records there are, as a number of the program: what decided that is listed wherever the number is used."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import headwater_pandas as hp
from kit.frame_changes import changes, misses
from kit.frame_tokens import frames
from kit.frames import strict

COUNTED = [
    "c = a[a['n'] > 2]",
    "c = a.query('n < 8').reset_index(drop=True)",
    "c = a.dropna(subset=['mail'])[['id', 'mail']]",
    "c = a['mail'].dropna()",
    "c = a.drop_duplicates('city')",
    "c = a.merge(b, on='id')",
    "c = a.join(b.set_index('id')[['note']], on='id', how='inner')",
    "c = a[a['id'].isin(b['id'])]",
    "c = a.groupby('city')['n'].sum()",
    "c = a.groupby('city', as_index=False).first()",
    "c = a.groupby('city').filter(lambda part: len(part) > 1)",
    "c = pd.concat([a[a['n'] > 4], b[b['w'] > 6]], ignore_index=True)",
    "c = a.pivot_table(index='city', values='n').reset_index()",
    "c = a['city'].value_counts()",
    "c = a.set_index('id').loc[lambda frame: frame['n'] > 2]",
    "c = a[a['mail'].str.len() > 7].sort_values('id')",
    "c = b.head(len(a[a['n'] > 4]))",
    "c = a.assign(mail=a['mail'].str.split('A')).explode('mail')",
    "c = pd.get_dummies(a['city']).T",
    "c = a[a['n'] > 2].rename(columns={'n': 'm'}).assign(m=1)",
]
NUMBERS = [
    "len(c)",
    "c.shape[0]",
    "len(c.index)",
    "c.index.size",
    "np.shape(c)[0]",
    "c.size",
    "len(c) // 2",
    "2 * len(c) + 1",
    "int(len(c) * 0.7)",
    "max(c.shape[0] - 1, 1)",
    "min(len(c), 3)",
    "1 if c.empty else len(c)",
    "len(c.groupby(c.iloc[:, 0] if c.ndim == 2 else c))",
    "c.groupby(level=0).ngroups",
    "sum(1 for _ in range(len(c)))",
    "c.reset_index(drop=True).index[-1]",
    "c.reset_index(drop=True).index.max()",
    "[*c.reset_index(drop=True).index][-1]",
]
USES = [
    "a = a.head(N)",
    "a = a.tail(N)",
    "a = a.iloc[:N]",
    "a = a.iloc[N // 2 :, :3]",
    "a = a.loc[:N]",
    "a = a.sample(n=min(N, len(a)), random_state=1)",
    "a = a.take(range(min(N, len(a))))",
    "a = a.nlargest(N, 'n')",
    "a = a[a['id'] < N]",
    "k = N; a = a.query('id <= @k')",
    "a = a if N > 3 else a.head(2)",
    "a = pd.concat([a] * min(N, 3))",
    "a = a.drop(index=range(min(N, 2)))",
    "a = a.assign(k=N)",
    "a['k'] = N",
    "a['k'] = a['n'] + N",
    "a['k'] = a['mail'].shift(N)",
    "a['k'] = a['mail'].str[:N]",
    "a['k'] = a['n'].rolling(max(N, 1), min_periods=1).sum()",
    "a['k'] = a['id'].where(a['id'] > N, 0)",
    "a['k'] = np.where(a['id'] > N, 'x', 'y')",
    "a['k'] = a['n'].fillna(N)",
    "a['k'] = pd.Series(range(N)).reindex(a.index)",
    "a['k'] = np.repeat(N, len(a))",
    "a['k'] = list(range(N, N + len(a)))",
    "a = a.loc[a.index.repeat(min(N, 3))]",
    "for _ in range(min(N, 4)): a = a.iloc[:-1]",
    "a['k'] = 'many' if N > 3 else 'few'",
]
RECOGNIZED = ["len(c)", "c.shape[0]", "len(c.index)", "c.index.size", "c.size"]
COMPUTED = ("if N", "// 2", "min(", "max(")
"""What decides which code runs, or may be equal to a constant of the program's text."""
FOLLOWED = [each for each in USES if not any(part in each for part in COMPUTED)]


@pytest.fixture(autouse=True)
def _without_receiver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENLINEAGE_DISABLED", "true")


def program(seed: int, numbers: list[str] = NUMBERS, uses: list[str] = USES) -> list[str]:
    chance = random.Random(seed)
    use = chance.choice(uses).replace("N", f"({chance.choice(numbers)})")
    return [chance.choice(COUNTED), use]


def _executed(steps: list[str], sources: dict[str, Any]) -> Any:
    scope: dict[str, Any] = {"pd": pd, "np": np, **sources}
    for step in steps:
        exec(step, scope)
    return scope["a"]


def _unlisted_cells(steps: list[str]) -> list[tuple[str, str]]:
    """Columns of sources whose change changes the result, and that no answer about any of its records lists."""
    with strict():
        tracked = {name: hp.track(frame, name) for name, frame in frames().items()}
        try:
            result = _executed(steps, tracked)
        except Exception:  # noqa: BLE001 - random programs ask for anything
            return []
        columns = list(result.columns)
        asked = (
            pd.concat([hp.why(result, None, columns), hp.influence(result, None, columns)])
            if len(result)
            else pd.DataFrame()
        )
    if asked.empty or "values of the program" in set(asked["dataset"]):
        return []
    known = set(zip(asked["dataset"], asked["column"], strict=True))
    before = _executed(steps, frames())
    return sorted(
        {
            (name, column)
            for name, column, sources in changes(frames())
            if (name, column) not in known and _differs(before, steps, sources)
        }
    )


def _differs(before: Any, steps: list[str], sources: dict[str, Any]) -> bool:
    try:
        after = _executed(steps, sources)
    except Exception:  # noqa: BLE001 - a changed cell may be none that the program can use
        return False
    return list(after.columns) != list(before.columns) or list(map(str, after.to_numpy().tolist())) != list(
        map(str, before.to_numpy().tolist())
    )


def _each() -> list[list[str]]:
    return [
        *([COUNTED[0], each.replace("N", "(len(c))")] for each in USES),
        *([COUNTED[0], f"a = a.head({each})"] for each in NUMBERS),
        *([each, "a = a.assign(k=c.shape[0])"] for each in COUNTED),
    ]


@pytest.mark.parametrize("steps", _each(), ids=" ".join)
def test_each_use_of_a_count_lists_what_decided_it(steps: list[str], tmp_path: Path) -> None:
    assert misses(steps, tmp_path) == []


@pytest.mark.parametrize("seed", range(60))
def test_random_uses_of_counts_miss_nothing(seed: int, tmp_path: Path) -> None:
    assert misses(program(seed), tmp_path) == [], program(seed)


@pytest.mark.parametrize("seed", range(100))
def test_records_that_decided_a_count_influence_what_it_is_used_for(seed: int) -> None:
    steps = program(seed, RECOGNIZED, FOLLOWED)
    assert _unlisted_cells(steps) == [], steps


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 2000))
def test_many_random_uses_of_counts_miss_nothing(seed: int, tmp_path: Path) -> None:
    assert misses(program(seed), tmp_path) == [], program(seed)
    steps = program(seed, RECOGNIZED, FOLLOWED)
    assert _unlisted_cells(steps) == [], steps
