"""How a job writes what it has made: a format, a mode, and folders by a column."""

from __future__ import annotations

from typing import Final

from oracle.companies.features import Feature
from oracle.companies.kinds import Columns, Leaf, Noted, Packed, is_flat
from oracle.companies.program import Program
from oracle.companies.reading import Dataset

FORMATS: Final = ("parquet", "parquet", "json", "json", "orc", "csv", "text")


def write(p: Program, name: str) -> Dataset:
    """Write ``df`` as a new dataset."""
    format_ = p.chance.choice(FORMATS)
    columns = _fitted(p, format_)
    options = ", header=True" if format_ == "csv" else ""
    by = _folders(p, columns) if format_ != "text" else ""
    parts = f'.partitionBy("{by}")' if by else ""
    p.add(f'df.write.mode("overwrite"){parts}.{format_}(f"{{root}}/{name}"{options})')
    kind = columns.get(by)
    values = kind.words if isinstance(kind, Leaf) else ()
    return Dataset(name, format_, columns, by, values if by else ())


def _fitted(p: Program, format_: str) -> Columns:
    """The columns that the format can have: nested ones become texts."""
    if format_ == "text":
        members = ", ".join(sorted(p.columns))
        p.add(
            f'df = df.selectExpr("to_json(struct({members})) AS value")', {"value": Packed(dict(p.columns))}
        )
    elif format_ == "csv" and not is_flat(p.columns):
        for name, kind in list(p.columns.items()):
            if not isinstance(kind, Leaf | Packed | Noted):
                made = Packed(getattr(kind, "fields", {}))
                p.add(
                    f'df = df.withColumn("{name}", F.to_json("{name}"))',
                    {**p.columns, name: made},
                )
    return dict(p.columns)


def _folders(p: Program, columns: Columns) -> str:
    found = [name for name, kind in columns.items() if isinstance(kind, Leaf) and kind.words]
    if found and len(columns) > 1 and p.may(Feature.NAMES, 0.4):
        return p.chance.choice(found)
    return ""
