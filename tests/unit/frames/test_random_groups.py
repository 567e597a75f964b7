"""Groups with keys as columns, and what keeps their index behind that: each token's column and record is listed."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from kit.frame_tokens import unlisted_of

BEFORE = [
    "",
    "a = a.sort_values('n')",
    "a = a.iloc[::-1]",
    "a = a.set_index('mail', drop=False)",
    "a = a.set_index('id', drop=False).rename_axis(None)",
    "a.index = a.index * 2",
    "a = pd.concat([a, a.head(2)])",
    "a['city'] = a['city'].astype('category')",
    "a['mail'] = a['mail'].astype('category')",
    "a = a[a['n'] > 1]",
    "a = a.head(0)",
]
KEYS = [
    "'city'",
    "'mail'",
    "['city']",
    "['city', 'mail']",
    "['mail', 'id']",
    "a['mail'].str[:8].astype('category')",
    "a['mail'].str[:8].astype('category').rename('part')",
    "a['mail'].rename('n')",
    "a['mail'].rename('city')",
    "a['mail'].rename(None)",
    "[a['city'].astype('category'), 'mail']",
    "pd.Grouper(key='mail')",
    "a['city'].to_numpy()",
    "list(a['mail'])",
    "lambda label: str(label)[:8]",
    "{0: 'x', 1: 'x', 2: 'y'}",
]
OPTIONS = ["", ", sort=False", ", dropna=False", ", observed=True", ", observed=False", ", group_keys=False"]
OF = ["", "", "['n']", "['mail']", "['city']", "[['n', 'id']]", "[['n', 'mail']]", "[['n']]"]
SUMS = [
    ".idxmax()",
    ".idxmin()",
    ".nth(0)",
    ".nth([0, -1])",
    ".nth[-1]",
    ".head(1)",
    ".tail(1)",
    ".sample(n=1, random_state=1)",
    ".size()",
    ".count()",
    ".nunique()",
    ".value_counts()",
    ".value_counts(normalize=True)",
    ".first()",
    ".last()",
    ".min()",
    ".max()",
    ".sum(numeric_only=True)",
    ".mean(numeric_only=True)",
    ".median(numeric_only=True)",
    ".quantile(0.5, numeric_only=True)",
    ".quantile([0.2, 0.5])",
    ".describe()",
    ".agg('first')",
    ".agg(['first', 'last'])",
    ".agg(['min', 'size'])",
    ".agg({'n': 'sum', 'mail': 'first'})",
    ".agg({'mail': ['first', 'last']})",
    ".agg(one=('mail', 'first'), most=('n', 'max'))",
    ".agg(city=('mail', 'first'))",
    ".agg(n=('n', 'idxmax'))",
    ".agg(lambda part: part.iloc[0])",
    ".agg({'mail': lambda part: '-'.join(map(str, part))})",
    ".agg(['first', lambda part: part.iloc[-1]])",
    ".cumcount()",
    ".ngroup()",
    ".transform('first')",
    ".shift()",
    ".filter(lambda part: len(part) > 1)",
    ".rank()",
    ".any()",
    ".ohlc()",
    ".nlargest(1)",
    ".unique()",
]
BEHIND = [
    "a = a.melt(ignore_index=False)",
    "a = a.melt(id_vars=list(a.columns[:1]), ignore_index=False)",
    "a = a.sort_values(a.columns[0])",
    "a = a.sort_index()",
    "a = a.iloc[::-1]",
    "a = a.drop(columns=list(a.columns[:1]))",
    "a = a.rename(columns=str.upper)",
    "a = a.add_prefix('x_')",
    "a = a.explode(a.columns[-1])",
    "a = a.astype(str)",
    "a = a.assign(more=a.iloc[:, 0])",
    "a = a.dropna()",
    "a = a.drop_duplicates()",
    "a = a[a.columns[::-1]]",
    "a = a.where(a.notna(), 'none')",
    "a = a.fillna('none')",
    "a = pd.concat([a, a], axis=0)",
    "a = pd.concat([a, a.add_suffix('_y')], axis=1)",
    "a = a.join(a.add_suffix('_r'))",
    "a = a.stack(future_stack=True).to_frame('stacked')",
    "a = a.set_index(a.columns[0], append=True)",
    "a = a.merge(b, left_index=True, right_index=True, how='left')",
    "a = a.rename_axis('label')",
    "a = a.head(2)",
    "a = a.loc[a.index[:2]]",
    "a = a.reindex(a.index[::-1])",
    "a = a.T.T",
    "a = a.to_frame()",
    "a = a.to_frame('value')",
    "a = a.droplevel(0, axis=1)",
    "a.columns = ['_'.join(map(str, each)) for each in a.columns]",
    "a.columns = a.columns.map(str)",
    "a = a.groupby(a.columns[0], as_index=False).first()",
    "a = a.groupby(level=0).first()",
]


def program(seed: int) -> list[str]:
    """Groups, figures of each, and some operations that keep the index, which is a column at last."""
    chance = random.Random(seed)
    as_index = chance.choice([", as_index=False"] * 3 + [""])
    grouped = f"a.groupby({chance.choice(KEYS)}{as_index}{chance.choice(OPTIONS)}){chance.choice(OF)}"
    behind = [chance.choice(BEHIND) for _ in range(chance.randint(0, 3))]
    return [chance.choice(BEFORE), f"a = {grouped}{chance.choice(SUMS)}", *behind, "a = a.reset_index()"]


@pytest.mark.parametrize("figure", SUMS)
def test_each_figure_of_groups_misses_nothing(
    figure: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENLINEAGE_DISABLED", "true")
    for chosen in ("", "['mail']", "[['n', 'mail']]"):
        steps = [f"a = a.groupby('city', as_index=False){chosen}{figure}", "a = a.melt(ignore_index=False)"]
        assert unlisted_of([*steps, "a = a.reset_index()"], tmp_path) in (None, []), steps


@pytest.mark.parametrize(
    "step",
    [
        "a['all'] = a['city'].sum()",
        "a = a.assign(all=a[['city']].sum().iloc[0])",
        "a['all'] = a[['city', 'city']].sum(axis=1)",
        "a = a.groupby('id', as_index=False)['city'].sum()",
        "a = a.groupby('id').agg({'city': 'sum', 'n': 'sum'})",
        "a = a.pivot_table(index='id', values='city', aggfunc='sum')",
    ],
)
def test_a_sum_of_texts_has_them_whole(step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENLINEAGE_DISABLED", "true")
    assert unlisted_of([step], tmp_path) == []


@pytest.mark.parametrize("seed", range(60))
def test_random_groups_miss_nothing(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENLINEAGE_DISABLED", "true")
    assert unlisted_of(program(seed), tmp_path) in (None, []), program(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 3000))
def test_many_random_groups_miss_nothing(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENLINEAGE_DISABLED", "true")
    assert unlisted_of(program(seed), tmp_path) in (None, []), program(seed)
