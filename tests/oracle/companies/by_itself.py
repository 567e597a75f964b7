"""How a program gets at a dataset beside its plans: it reads the files, collects rows, or is shown them."""

from __future__ import annotations

from oracle.companies.program import Program
from oracle.companies.reading import Dataset, read

_PACK = "texts = [(json.dumps(row, default=str, ensure_ascii=False),) for row in rows]"
_PRINTED = (
    "import contextlib, io",
    "with contextlib.redirect_stdout(io.StringIO()) as printed:",
    "    df.show(1000, False)",
    "texts = [(line,) for line in printed.getvalue().splitlines()]",
)
_FAILED = (
    "texts = []",
    "try:",
    '    df.select(F.expr("raise_error(to_json(struct(*)))")).collect()',
    "except Exception as error:",
    "    texts.append((str(error),))",
)


def texts(p: Program, dataset: Dataset) -> None:
    """Make ``texts``, rows of one text each, of the dataset."""
    p.add("import json")
    by_itself = dataset.format in ("parquet", "json") and not dataset.by
    if by_itself and p.chance.random() < 0.6:
        _read_files(p, dataset)
        p.add(_PACK)
        return
    read(p, dataset)
    way = p.chance.choice(("collected", "printed", "failed"))
    if way == "collected":
        p.add("rows = [row.asDict(True) for row in df.collect()]")
        p.add(_PACK)
    for line in {"printed": _PRINTED, "failed": _FAILED}.get(way, ()):
        p.add(line)


def _read_files(p: Program, dataset: Dataset) -> None:
    p.opens.add(dataset.name)
    if dataset.format == "parquet":
        p.add("from pyarrow import parquet")
        p.add(f'rows = parquet.read_table(f"{{root}}/{dataset.name}").to_pylist()')
        return
    p.add("import pathlib")
    p.add(f'files = pathlib.Path(f"{{root}}/{dataset.name}").glob("*.json")')
    p.add("rows = [json.loads(line) for file in files for line in file.open()]")
