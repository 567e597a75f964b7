"""Random programs: what changes an output is listed; where a token can be read, its column is listed as readable."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from kit import frame_steps
from kit.frame_changes import misses

STEPS = [
    "a = a[a['n'] > 2]",
    "a = a[a['city'] == a['city'].iloc[0]]",
    "a = a.query('n < 8')",
    "a = a.dropna(subset=['mail'])",
    "a = a.sort_values('n', ascending=False)",
    "a = a.drop_duplicates('city')",
    "a = a.head(4)",
    "a = a.nlargest(3, 'n')",
    "a = a.rename(columns={'mail': 'post'}).rename(columns={'post': 'mail'})",
    "a['mail'] = a['mail'].str.lower()",
    "a['size'] = a['mail'].str.len()",
    "a['known'] = a['mail'].isna()",
    "a['n'] = a['n'] * 2 + a['id']",
    "a['n'] = a['n'].fillna(a['n'].mean())",
    "a['n'] = a['n'] - a['n'].mean()",
    "a['n'] = a.groupby('city')['n'].transform('sum')",
    "a['best'] = a['mail'].dropna().max()",
    "a['one'] = a.loc[a.index[0], 'mail']",
    "a['rank'] = a['n'].rank()",
    "a['group'] = np.where(a['n'] > 3, 'high', 'low')",
    "a['either'] = np.where(a['n'] > 3, a['mail'], a['city'])",
    "a['both'] = a['mail'] + '/' + a['city']",
    "a['same'] = a['mail'].where(a['n'] > 3, a['city'])",
    "a.loc[a['n'] > 3, 'city'] = 'Genf'",
    "a.loc[a['n'] > 3, 'city'] = a['mail']",
    "a['next'] = a['mail'].shift(1)",
    "a['bin'] = pd.cut(a['n'], 2).astype(str)",
    "a['text'] = a['n'].astype(str)",
    "a['of'] = a['city'].map(dict(zip(a['city'], a['mail'])))",
    "a['of'] = a['id'].map(b.drop_duplicates('id').set_index('id')['note'])",
    "a['of'] = [each for each in a['mail']]",
    "a['of'] = a['mail'].to_numpy()[::-1]",
    "a['of'] = a.apply(lambda row: f\"{row['mail']}{row['n']}\", axis=1)",
    "a['of'] = a['mail'].apply(lambda text: str(text)[:20])",
    "a = a.merge(b, on='id', how='left', suffixes=('', '_b'))",
    "a = a.merge(b[['id', 'note']], on='id').drop(columns=['note'])",
    "a = a.join(b.set_index('id')[['note']], on='id', rsuffix='_j')",
    "a = pd.concat([a, a.head(1)], ignore_index=True)",
    "a = a[a['id'].isin(b['id'])]",
    "a = a.set_index('mail').reset_index()",
    "a = a.groupby('city', as_index=False).agg(id=('id', 'min'), n=('n', 'sum'), mail=('mail', 'first'))",
    "a = a.groupby('city').agg({'id': 'max', 'n': 'mean', 'mail': 'count'}).reset_index()",
    "a = a.groupby(['city', 'id']).first().reset_index()",
    "a = a.melt(['id', 'n', 'mail'], ['city'], value_name='value').rename(columns={'value': 'city'})",
    "a = pd.get_dummies(a, columns=['city']).assign(city='x')",
    "a = a.assign(copy=lambda frame: frame['mail'])",
    "a = a.ffill()",
    "a = a.pivot_table(index=['city', 'id', 'mail'], values='n', aggfunc='sum').reset_index()",
    "a['days'] = pd.to_datetime('2026-01-01') + pd.to_timedelta(a['n'], unit='D')",
    "a['year'] = pd.to_datetime(a['n'], unit='D').dt.year",
    "a['mail'] = a['mail'].replace(a['mail'].iloc[0], 'nobody')",
    "a = a.explode('mail')",
    "a = a.T.T",
    "a['all'] = a['mail'].str.cat(sep='')",
    "a['joined'] = '-'.join(str(each) for each in a['city'])",
    "a['total'] = 2 * a['n'].sum()",
    "a['n'] = a['n'].cumsum()",
    "a['mail'] = a['mail'].bfill(limit=1)",
    "a['n'] = a['n'].rolling(2, min_periods=1).mean()",
    "a['most'] = a['n'].expanding().max()",
    "a['one'] = np.select([a['n'] > 3, a['id'] > 2], [a['mail'], a['city']], 'none')",
    "a = pd.DataFrame({'id': a['id'], 'n': a['n'], 'mail': a['mail'], 'city': a['city'].str.upper()})",
    "a['of'] = pd.Series(a['mail'].to_numpy(), index=a.index)",
    "a['of'] = a.apply(lambda row: row['mail'] if row['n'] > 3 else row.city, axis=1)",
    "a['of'] = a.apply(lambda row: len(str(row.mail)), axis=1)",
    "a = a.groupby('city').nth(0)",
    "a = a.pivot_table(index=['id', 'mail'], columns='city', values='n').reset_index().assign(n=1, city='x')",
    "a = a.pivot_table(index='id', columns='city', values='n').reset_index().melt('id').assign(n=1, mail='m')",
    "a = a.set_index(['id', 'city'])['mail'].unstack().stack(future_stack=True).rename('mail').reset_index()",
    "a = a.pivot(index='id', columns='city', values='mail').stack(future_stack=True).reset_index().assign(mail='m')",
    "a = a.set_index('mail')[['n', 'id']].T.assign(n=1, id=2, mail='m', city='c')",
    "a = pd.get_dummies(a, columns=['city']).melt(['id', 'n', 'mail']).assign(city='x')",
    "a['at'] = pd.merge_asof(a.sort_values('id'), b.sort_values('id'), on='id')['note']",
]


@pytest.fixture(autouse=True)
def _without_receiver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENLINEAGE_DISABLED", "true")


EVERY = STEPS + frame_steps.STEPS


def program(seed: int, steps: list[str]) -> list[str]:
    chance = random.Random(seed)
    return [chance.choice(steps) for _ in range(chance.randint(1, 5))]


@pytest.mark.parametrize("step", STEPS + frame_steps.TELLING)
def test_each_step_alone_misses_nothing(step: str, tmp_path: Path) -> None:
    assert misses([step], tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("step", frame_steps.STEPS)
def test_each_way_to_say_it_misses_nothing(step: str, tmp_path: Path) -> None:
    assert misses([step], tmp_path) == []


@pytest.mark.parametrize("seed", range(80))
def test_random_programs_miss_nothing(seed: int, tmp_path: Path) -> None:
    steps = program(seed, EVERY if seed % 2 else STEPS)
    assert misses(steps, tmp_path) == [], steps


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 3000))
def test_many_random_programs_miss_nothing(seed: int, tmp_path: Path) -> None:
    steps = program(seed, EVERY if seed % 2 else STEPS)
    assert misses(steps, tmp_path) == [], steps
