"""What a program groups, indexes, spreads or joins by, and makes a column of again, is listed where it can be read."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from kit.frame_tokens import unlisted_of

BEFORE = [
    "",
    "a['city'] = a['city'].str.upper()",
    "a = a[a['id'] > 1]",
    "a = a.sort_values('n')",
    "a = a.merge(b[['id', 'note']], on='id', how='left')",
    "a['n'] = a['n'].fillna(0)",
]
KEYS = [
    "'city'",
    "'mail'",
    "['city', 'mail']",
    "a['mail'].str.lower()",
    "a['mail'].rename('n')",
    "a['mail'].rename('city')",
    "a['mail'].rename(None)",
    "['city', a['mail'].str.lower()]",
    "[a['mail'].str.lower().rename('post'), 'city']",
    "[a['mail'].rename('x'), a['city'].rename('y')]",
    "a['mail'].fillna('').to_numpy()",
    "list(a['mail'].fillna(''))",
    "pd.Grouper(key='mail')",
    "['n', pd.Grouper(key='city')]",
    "a['mail'].fillna('x') + a['city']",
    "a['mail'].str[:8].astype('category')",
    "b['note'].reindex(a.index)",
    "pd.Index(a['mail'].fillna(''))",
]
LEVELS = [
    "level=0",
    "level='mail'",
    "lambda label: str(label)[:9]",
    "by=[a['city'].str.lower(), pd.Grouper(level=0)]",
    "a.index",
    "a.index.str.lower()",
    "a.index.get_level_values(0)",
]
SUMS = [
    "[['id', 'n']].sum()",
    "['n'].sum()",
    "['city'].first()",
    ".agg(n=('n', 'sum'), id=('id', 'max'))",
    ".agg({'n': 'mean', 'id': 'min'})",
    "['n'].agg(['min', 'max'])",
    ".size()",
    "['mail'].count()",
    ".first()",
    "['n'].apply(lambda part: part.sum())",
    "['n'].value_counts()",
    "['n'].describe()",
    ".nth(0)",
    ".head(1)",
    "[['id', 'n']].cumsum()",
    "['n'].rolling(2, min_periods=1).mean()",
    "[['n', 'id']].apply(lambda part: part.head(1))",
    "['n'].idxmax()",
    "['n'].quantile([0.2, 0.5])",
]
TABLES = [
    "a = a.set_index('mail')[['n', 'id']]",
    "a = a.set_index(a['mail'].str.lower())[['n', 'id']]",
    "a = a.set_index(['city', 'mail'])[['n']]",
    "a = a.set_index('mail', append=True)[['n', 'id']]",
    "a = a.set_index(a['mail'].to_numpy())[['n']]",
    "a = a.set_index('mail')['n']",
    "a.index = a['mail']; a = a[['n', 'id']]",
    "a = a.set_axis(a['mail'].str.lower(), axis=0)[['n']]",
    "a = a['mail'].value_counts()",
    "a = a[['mail', 'city']].value_counts()",
    "a = pd.crosstab(a['mail'], a['city'])",
    "a = a.pivot_table(index='mail', columns='city', values='n')",
    "a = a.pivot_table(index=a['mail'].str.lower(), columns='city', values='n')",
    "a = a.set_index('mail')[['n', 'id']].T.T",
    "a = pd.concat({'x': a.set_index('mail')[['n']], 'y': a.set_index('city')[['n']]})",
    "a = pd.concat([a.set_index('mail')['n'], a.set_index('mail')['id']], axis=1)",
    "a = a.set_index('mail')[['n']].join(b.set_index('note')[['w']], how='outer')",
    "a = a[['n']].merge(b, left_on=a['mail'], right_on='note', how='outer')",
    "a = a[['n']].merge(b[['w']], left_on=a['mail'].to_numpy(), right_on=b['note'].to_numpy(), how='outer')",
    "a = a[['n']].set_index(a['mail']).merge(b[['w']], left_index=True, right_on=b['note'], how='outer')",
    "a = a.set_index('mail')[['n', 'id']].stack()",
    "a = a.set_index(['mail', 'city'])['n'].unstack()",
    "a = a.pivot(index='id', columns='mail', values='n').T",
    "a = a.pivot(index='id', columns='mail', values='n').mean()",
    "a = a.pivot(index='id', columns='mail', values='n').stack()",
    "a = a.groupby('mail')['n'].sum().to_frame().T",
    "a = pd.DataFrame({'n': a.set_index('mail')['n'], 'id': a.set_index('mail')['id']})",
    "a = pd.Series(a['n'].to_numpy(), index=a['mail'], name='n')",
    "a = pd.DataFrame({'n': a['n'].to_numpy()}, index=a['mail'])",
    "a = a.set_index('mail')[['n']].reindex(b['note'])",
    "a = a.set_index('mail')[['n']].sort_index().iloc[::-1]",
    "a = pd.get_dummies(a.set_index('mail')['city'])",
    "a = a.set_index('mail')['city'].str.get_dummies()",
    "a = a.set_index('mail')[['n']].rename(index=str)",
]
BACK = [
    "a = a.reset_index()",
    "a = a.reset_index(names='key')",
    "a = a.reset_index(level=0)",
    "a = a.reset_index(level=-1)",
    "a = a.to_frame('value').reset_index()",
    "a['key'] = a.index",
    "a['key'] = a.index.get_level_values(0)",
    "a = a.assign(key=a.index.get_level_values(-1))",
    "a['key'] = a.index.to_series()",
    "a['key'] = list(a.index)",
    "a['key'] = a.index.astype(str)",
    "a = a.index.to_frame()",
    "a['key'] = a.index[0]",
    "a = a.rename_axis('key').reset_index()",
    "a = a.reset_index().melt()",
    "a = a.stack().reset_index()",
    "a = a.unstack().reset_index()",
    "a = a.T.reset_index()",
    "a = a.reset_index().set_index('n').reset_index()",
    "a = pd.concat([a, a], keys=['x', 'y']).reset_index()",
    "a = a.reset_index().merge(b, how='cross')",
    "a = pd.DataFrame(a.to_records())",
    "a = pd.DataFrame({'key': a.index, 'n': 1})",
    "a = a.melt(ignore_index=False).reset_index()",
    "a = a.reset_index().groupby('n', as_index=False).first()",
]


def program(seed: int) -> list[str]:
    """Some steps before, a key, and a way in which it becomes a column."""
    chance = random.Random(seed)
    steps = [chance.choice(BEFORE)]
    kind = chance.randrange(3)
    if kind == 0:
        more = chance.choice(
            ["", "", ", as_index=False", ", sort=False", ", dropna=False", ", group_keys=False"]
        )
        steps.append(f"a = a.groupby({chance.choice(KEYS)}{more}){chance.choice(SUMS)}")
    elif kind == 1:
        steps.append(
            f"a = a.set_index('mail').pipe(lambda a: a.groupby({chance.choice(LEVELS)}){chance.choice(SUMS)})"
        )
    else:
        steps.append(chance.choice(TABLES))
    return [*steps, chance.choice(BACK)]


@pytest.mark.parametrize("table", TABLES)
def test_an_index_that_becomes_a_column_is_listed(
    table: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENLINEAGE_DISABLED", "true")
    assert unlisted_of([table, "a = a.reset_index()"], tmp_path) == []


@pytest.mark.parametrize("key", KEYS)
def test_a_key_that_becomes_a_column_is_listed(
    key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENLINEAGE_DISABLED", "true")
    assert unlisted_of([f"a = a.groupby({key})['id'].sum().reset_index()"], tmp_path) == []


@pytest.mark.parametrize("seed", range(60))
def test_random_keys_miss_nothing(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENLINEAGE_DISABLED", "true")
    assert unlisted_of(program(seed), tmp_path) in (None, []), program(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 3000))
def test_many_random_keys_miss_nothing(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENLINEAGE_DISABLED", "true")
    assert unlisted_of(program(seed), tmp_path) in (None, []), program(seed)
