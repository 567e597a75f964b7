"""Functions of the program that pandas hands groups, windows, columns or records: their results list what they have."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from kit.frame_tokens import unlisted_of

BEFORE = [
    "",
    "a = a.sort_values('n')",
    "a = a.iloc[::-1]",
    "a = a.set_index('mail', drop=False).rename_axis('label')",
    "a = pd.concat([a, a.head(2)])",
    "a['city'] = a['city'].astype('category')",
    "a = a.drop(columns='n').assign(n=a['id'] * 2)",
    "most = a['mail'].dropna().max()",
    "seen = []",
    "table = dict(zip(a['id'], a['mail']))",
    "notes = b.drop_duplicates('id').set_index('id')['note']",
]
KEYS = ["'city'", "'mail'", "['city', 'id']", "a['mail'].str[:8]", "a['id'] % 2", "'city', as_index=False"]
OPTIONS = ["", "", ", group_keys=False", ", sort=False", ", dropna=False"]
OF_FRAMES = [
    "lambda p: 1",
    "lambda p: len(p)",
    "lambda p: p.name",
    "lambda p: p['mail'].iloc[0]",
    "lambda p: p.mail.max() if p['n'].sum() > 3 else None",
    "lambda p: p['n'].sum()",
    "lambda p: '-'.join(map(str, p['mail']))",
    "lambda p: p['mail'].iloc[0] if p['n'].sum() > 8 else 'few'",
    "lambda p: p.index[0]",
    "lambda p: p['n'].idxmax() if p['n'].notna().any() else None",
    "lambda p: pd.Series({'x': p['mail'].iloc[0], 'y': p['n'].max()})",
    "lambda p: pd.Series(p['mail'].to_list(), index=p['id'])",
    "lambda p: p.set_index('mail')['n']",
    "lambda p: p.head(1)",
    "lambda p: p",
    "lambda p: p[['mail', 'n']].tail(1)",
    "lambda p: p[p['n'] > p['n'].mean()]",
    "lambda p: p.assign(z=p['mail'].shift())",
    "lambda p: p['mail'].str.lower()",
    "lambda p: p['mail'].value_counts()",
    "lambda p: pd.DataFrame({'x': p['mail'].to_list()})",
    "lambda p: pd.DataFrame({'x': [p['mail'].iloc[-1]]}, index=[7])",
    "lambda p: p.sort_values('n').iloc[0]",
    "lambda p: p.loc[p['id'].idxmax(), 'mail']",
    "lambda p: p.merge(b, on='id', how='left')",
    "lambda p: b['note'].iloc[0]",
    "lambda p: b.loc[b['id'].isin(p['id']), 'note'].max()",
    "lambda p: notes.get(p['id'].iloc[0])",
    "lambda p: table[p['id'].iloc[0]]",
    "lambda p: most",
    "lambda p: seen.append(p['mail'].iloc[0]) or seen[0]",
    "lambda p: {'m': p['mail'].iloc[0]}",
    "lambda p: [p['mail'].iloc[0], len(p)]",
    "lambda p: (p['mail'], 1)",
    "lambda p: str(p)",
    "lambda p: f\"{p['mail']}\"",
    "lambda p: p.to_dict('list')['mail'][0]",
    "lambda p: p.values[0]",
    "lambda p: np.asarray(p['mail'])[0]",
    "lambda p: type(p)(p).iloc[0, 0]",
    "lambda p, q=None: p['mail'].iloc[0]",
    "lambda p: (lambda q: q['mail'].iloc[0])(p)",
    "lambda p: p.get('mail').iloc[0]",
    "lambda p: p.pop('mail').iloc[0]",
    "lambda p: [row.mail for row in p.itertuples()][0]",
    "lambda p: next(p.iterrows())[1]['mail']",
    "lambda p: p.columns[0]",
    "lambda p: p.keys()[0]",
    "lambda p: p.dtypes.index[0]",
    "lambda p: getattr(p, 'mail').iloc[0]",
    "lambda p: max(p['mail'].dropna(), default='')",
    "lambda p: None",
    "lambda p: p['mail'].array[0]",
    "lambda p: p.iloc[0]['mail']",
    "lambda p: list(zip(p['mail'], p['n']))[0][0]",
    "lambda p: p.groupby('id').apply(lambda q: q['mail'].iloc[0]).iloc[0]",
    "lambda p: p.groupby('id').apply(lambda q: p['mail'].iloc[0]).iloc[0]",
    "lambda p: b.groupby('id').apply(lambda q: p['mail'].iloc[0]).iloc[0]",
]
OF_SERIES = [
    "lambda s: 'x'",
    "lambda s: s.iloc[0]",
    "lambda s: s.name",
    "lambda s: s.max() if s.notna().all() else 'none'",
    "lambda s: s.index[0]",
    "lambda s: '-'.join(map(str, s))",
    "lambda s: s.fillna('x')",
    "lambda s: s.shift()",
    "lambda s: s.str.upper()",
    "lambda s: s.mode().iloc[0] if s.notna().any() else None",
    "lambda s: b['note'].iloc[0]",
    "lambda s: most",
    "lambda s: seen.append(s.iloc[0]) or seen[0]",
    "lambda s: s + s.name if isinstance(s.name, str) else s",
    "lambda s: s.to_dict()[s.index[0]]",
    "lambda s: str(s)",
    "lambda s: s.keys()[0]",
    "lambda s: s.axes[0][0]",
    "lambda s: s.array[0]",
    "lambda s: s.reset_index().iloc[0, 0]",
    "lambda s: a.loc[s.index, 'mail'].iloc[0]",
    "lambda s: notes.iloc[len(s)]",
    "lambda s: pd.Series(s.index, index=s.index)",
    "lambda s: s.sort_values().iloc[0]",
    "lambda s: s.items().__next__()[0]",
    "lambda s: list(s)[0]",
    "lambda s: s.to_numpy()[0]",
]
OF_RECORDS = [
    "lambda r: 1",
    "lambda r: r['mail']",
    "lambda r: r.mail",
    "lambda r: r.get('mail', 'x')",
    "lambda r: r[['mail', 'n']].iloc[0]",
    "lambda r: r.name",
    "lambda r: r.iloc[1]",
    "lambda r: [*r][1]",
    "lambda r: r['mail'] if r['n'] > 3 else r['city']",
    "lambda r: {key: r[key] for key in r.index if key != 'n'}['mail']",
    "lambda r: dict(r)['mail']",
    "lambda r: pd.Series({'x': r['mail'], 'y': r['n']})",
    "lambda r: [r['mail'], r['n']]",
    "lambda r: r",
    "lambda r: r.to_dict()['mail']",
    "lambda r: '/'.join(str(r[each]) for each in sorted(['mail', 'n']))",
    "lambda r: b['note'].iloc[r['id'] % 5]",
    "lambda r: b[b['id'] == r['id']]['note'].max()",
    "lambda r: notes.get(r['id'])",
    "lambda r: table.get(r['id'])",
    "lambda r: most",
    "lambda r: seen.append(r['mail']) or seen[0]",
    "lambda r: str(r)",
    "lambda r: r[max(['mail', 'city'])]",
    "lambda r: type(r)(r).iloc[1]",
    "lambda r: getattr(r, 'ma' + 'il')",
    "lambda r: r.drop('n').iloc[1]",
    "lambda r: next(iter(r.items()))",
    "lambda r: a.loc[r.name, 'mail'] if a.index.is_unique else 1",
]
BEHIND = [
    "",
    "",
    "a = a.melt(ignore_index=False)",
    "a = a.sort_index()",
    "a = a.to_frame('value')",
    "a = a.astype(str)",
]
MADE = [
    "a['of'] = OF",
    "a = a.assign(of=OF)",
    "a = OF.reset_index()",
    "a = OF",
]


OF_COLUMNS = [
    *OF_SERIES,
    "lambda s: s.value_counts()",
    "lambda s: pd.Series({'x': s.iloc[0], 'y': s.name})",
    "lambda s: s + s.iloc[0]",
    "lambda s: s if s.name != 'n' else a['mail']",
    "lambda s: [s.iloc[-1]] * len(s)",
    "lambda s: s.drop_duplicates()",
    "lambda s: s.where(a['n'] > 3)",
    "lambda s: s.map(table)",
    "lambda s: len(s.unique())",
    "lambda s: [*zip(s, a['mail'])][0]",
    "np.max",
    "'max'",
    "pd.Series.mode",
    "pd.to_numeric, errors='coerce'",
    "[min, max]",
    "{'mail': lambda s: s.iloc[0], 'n': 'max'}",
]
COLUMNS = ["", "[['mail', 'city']]", "[['mail', 'n']]", "['mail']"]
ON_COLUMNS = [
    "a.apply(F)",
    "a.apply(F, axis=0)",
    "a.apply(F, 0)",
    "a.agg(F)",
    "a.aggregate(F)",
    "a.transform(F)",
]
OF_FIGURES = [
    "a['of'] = RESULT",
    "a = RESULT",
    "figures = RESULT; a['of'] = figures.iloc[0]",
    "a = pd.DataFrame(RESULT)",
]


def of_columns(function: str, columns: str, call: str, use: str) -> str:
    """A step that gives a function columns, and uses what comes of it."""
    return use.replace("RESULT", call.replace("a.", f"a{columns}.").replace("F", function))


def program(seed: int) -> list[str]:
    """Some steps before, a function for what pandas hands it, and what becomes of its results."""
    chance = random.Random(seed)
    steps = [chance.choice(BEFORE), chance.choice(BEFORE)]
    kind = chance.randrange(6)
    grouped = f"a.groupby({chance.choice(KEYS)}{chance.choice(OPTIONS)})"
    if kind == 0:
        columns = chance.choice(["", "", "[['mail', 'n', 'id']]"])
        steps.append(f"a = {grouped}{columns}.apply({chance.choice(OF_FRAMES)})")
    elif kind == 1:
        name = chance.choice(["apply", "agg", "aggregate"])
        columns = chance.choice(["['mail']", "['mail']", "['n']", "[['mail', 'n']]"])
        steps.append(f"a = {grouped}{columns}.{name}({chance.choice(OF_SERIES)})")
    elif kind == 2:
        columns = chance.choice(["['mail']", "['city']", "[['mail', 'city']]"])
        steps.append(f"a['of'] = {grouped}{columns}.transform({chance.choice(OF_SERIES)})")
    elif kind == 3:
        steps.append(chance.choice(MADE).replace("OF", f"a.apply({chance.choice(OF_RECORDS)}, axis=1)"))
    elif kind == 4:
        parts = (chance.choice(each) for each in (OF_COLUMNS, COLUMNS, ON_COLUMNS, OF_FIGURES))
        steps.append(of_columns(*parts))
    else:
        one, other = chance.choice(OF_SERIES), chance.choice(OF_SERIES)
        steps.append(f"a = {grouped}.agg(x=('mail', {one}), y=('n', {other}))")
    return [*steps, chance.choice(BEHIND), "a = a.reset_index()"]


@pytest.fixture(autouse=True)
def _no_events(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENLINEAGE_DISABLED", "true")


@pytest.mark.parametrize("function", OF_FRAMES)
def test_a_function_of_groups_lists_what_is_in_its_results(function: str, tmp_path: Path) -> None:
    for more in ("", ", as_index=False", ", group_keys=False"):
        steps = [*BEFORE[-4:], f"a = a.groupby('city'{more}).apply({function}).reset_index()"]
        assert unlisted_of(steps, tmp_path) in (None, []), steps


@pytest.mark.parametrize("function", OF_SERIES)
@pytest.mark.parametrize("name", ["apply", "agg", "transform"])
def test_a_function_of_grouped_series_lists_what_is_in_its_results(
    name: str, function: str, tmp_path: Path
) -> None:
    steps = [*BEFORE[-4:], f"a = a.groupby('city')['mail'].{name}({function}).reset_index()"]
    assert unlisted_of(steps, tmp_path) in (None, []), steps


@pytest.mark.parametrize("function", OF_RECORDS)
def test_a_function_of_records_lists_what_is_in_its_results(function: str, tmp_path: Path) -> None:
    steps = [*BEFORE[-4:], f"a = a.apply({function}, axis=1).reset_index()"]
    assert unlisted_of(steps, tmp_path) in (None, []), steps


@pytest.mark.parametrize("function", OF_COLUMNS)
@pytest.mark.parametrize("call", ["a.apply(F)", "a.agg(F)", "a.transform(F)"])
def test_a_function_of_columns_lists_what_is_in_its_results(call: str, function: str, tmp_path: Path) -> None:
    for columns in ("[['mail', 'n']]", "['mail']"):
        for use in OF_FIGURES:
            steps = [*BEFORE[-4:], of_columns(function, columns, call, use), "a = a.reset_index()"]
            assert unlisted_of(steps, tmp_path) in (None, []), steps


@pytest.mark.parametrize("seed", range(60))
def test_random_functions_miss_nothing(seed: int, tmp_path: Path) -> None:
    assert unlisted_of(program(seed), tmp_path) in (None, []), program(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 3000))
def test_many_random_functions_miss_nothing(seed: int, tmp_path: Path) -> None:
    assert unlisted_of(program(seed), tmp_path) in (None, []), program(seed)
