"""Jobs that are more than reading, changing and writing: they write what they read, or keep what they have read."""

from __future__ import annotations

from dataclasses import replace

from oracle.companies.kinds import Columns, Leaf
from oracle.companies.program import Program
from oracle.companies.reading import Dataset, read

KEPT = ("df = df.localCheckpoint()", "df = df.cache(); df.count()", "df = df.persist(); df.count()")


def overwrite_itself(p: Program, dataset: Dataset, other: Dataset) -> Dataset:
    """The dataset is read, gets a column of another one's rows beside it, and is overwritten."""
    columns = _read_plainly(p, dataset)
    way = p.chance.choice((*KEPT, "temporary", "rdd-free"))
    more = read(p, other, "more")
    more_leaf = next((n for n, k in more.items() if isinstance(k, Leaf)), None)
    if more_leaf is not None:
        name = p.name()
        p.add(f'df = df.crossJoin(more.select(F.col("{more_leaf}").cast("string").alias("{name}")).limit(1))')
        columns = {**columns, name: Leaf()}
    elif other.name != dataset.name:
        p.reads.discard(other.name)  # nothing is made of it, so that Spark never reads it
    p.columns = columns
    if way in KEPT:
        p.add(way)
    else:
        p.add(f'df.write.mode("overwrite").parquet(f"{{root}}/{dataset.name}_new")')
        p.add(f'df = spark.read.parquet(f"{{root}}/{dataset.name}_new")')
        p.reads.add(f"{dataset.name}_new")
    p.add(f'df.write.mode("overwrite").parquet(f"{{root}}/{dataset.name}")')
    return replace(dataset, columns=columns, format="parquet", by="", values=())


def snapshot(p: Program, dataset: Dataset, other: Dataset, name: str) -> tuple[Dataset, Dataset]:
    """What was read of the dataset is written after the dataset was overwritten by another."""
    columns = _read_plainly(p, dataset)
    p.add("df = df.localCheckpoint()")
    p.add("kept = df")
    changed = read(p, other)
    p.add(f'df.write.mode("overwrite").parquet(f"{{root}}/{dataset.name}")')
    p.add(f'kept.write.mode("overwrite").parquet(f"{{root}}/{name}")')
    overwritten = replace(dataset, columns=changed, format="parquet", by="", values=())
    return overwritten, Dataset(name, "parquet", columns)


def ignored(p: Program, dataset: Dataset) -> None:
    """Rows are offered to a dataset that exists."""
    p.add(f'df.write.mode("ignore").{dataset.format}(f"{{root}}/{dataset.name}")')


def append(p: Program, dataset: Dataset) -> bool:
    """Rows with the dataset's columns are appended, if that can be."""
    wanted = dataset.columns
    if dataset.by or dataset.format == "text" or not all(isinstance(k, Leaf) for k in wanted.values()):
        return False
    found = [name for name, _ in p.personal()]
    if not found:
        return False
    chosen = []
    for column, kind in wanted.items():
        assert isinstance(kind, Leaf)
        chosen.append(f"cast({p.chance.choice(found)} AS {kind.type}) AS {column}")
    p.add(f"df = df.selectExpr({', '.join(map(repr, chosen))})")
    options = ", header=True" if dataset.format == "csv" else ""
    p.add(f'df.write.mode("append").{dataset.format}(f"{{root}}/{dataset.name}"{options})')
    return True


def _read_plainly(p: Program, dataset: Dataset) -> Columns:
    """Read by the format's own reader."""
    features, p.features = p.features, frozenset()
    columns = read(p, dataset)
    p.features = features
    return columns
