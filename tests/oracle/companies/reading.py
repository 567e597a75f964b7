"""How a job reads a dataset: by the reader of its format, by another one, or by a schema of its own."""

from __future__ import annotations

from dataclasses import dataclass, field

from oracle.companies.features import Feature
from oracle.companies.kinds import Columns, Kind, Leaf, Packed, ddl, is_flat, texts
from oracle.companies.program import Program


@dataclass
class Dataset:
    """What is known of a written dataset; ``by`` is the column that is its folders' name."""

    name: str
    format: str
    columns: Columns
    by: str = ""
    values: tuple[str, ...] = field(default=())
    """Folders of it, where they are known."""


def read(p: Program, dataset: Dataset, variable: str = "df") -> Columns:
    """Read the dataset into a variable; gives its columns."""
    p.reads.add(dataset.name)
    if p.may(Feature.OTHER_READER, 0.3):
        return _otherwise(p, dataset, variable)
    if dataset.by and p.may(Feature.NAMES, 0.2):
        return _without_folders(p, dataset, variable)
    columns = _by_its_format(p, dataset, variable)
    if dataset.by and p.may(Feature.NAMES, 0.4):
        return _with_file_names(p, columns, variable)
    return columns


def _with_file_names(p: Program, columns: Columns, variable: str) -> Columns:
    name, made = p.name(), p.chance.choice(("F.input_file_name()", 'F.col("_metadata.file_path")'))
    p.add(f'{variable} = {variable}.select("*", {made}.alias("{name}"))')
    return {**columns, name: Leaf()}


def _without_folders(p: Program, dataset: Dataset, variable: str) -> Columns:
    """The reader does not know which columns are the folders' names, and takes the names of files."""
    p.add(f'{variable} = spark.read.option("recursiveFileLookup", True)')
    if p.chance.random() < 0.5:
        p.add(f'{variable} = {variable}.format("binaryFile").load(f"{{root}}/{dataset.name}").select("path")')
        return {"path": Leaf()}
    name = p.name()
    p.add(f'{variable} = {variable}.text(f"{{root}}/{dataset.name}").limit(5)')
    p.add(f'{variable} = {variable}.select(F.input_file_name().alias("{name}"))')
    return {name: Leaf()}


def _by_its_format(p: Program, dataset: Dataset, variable: str) -> Columns:
    if dataset.values and p.may(Feature.FOLDER, 0.4):
        folder = f"{dataset.name}/{dataset.by}={p.chance.choice(dataset.values)}"
        p.add(f'{variable} = spark.read.{dataset.format}(f"{{root}}/{folder}")')
        return {name: kind for name, kind in dataset.columns.items() if name != dataset.by}
    place = f'f"{{root}}/{dataset.name}"'
    if dataset.format == "csv":
        p.add(f"{variable} = spark.read.csv({place}, header=True, multiLine=True)")
        return texts(dataset.columns)
    if dataset.format == "text":
        p.add(f"{variable} = spark.read.text({place})")
        return dict(dataset.columns)
    own = ", ".join(f"{name} {ddl(kind)}" for name, kind in dataset.columns.items())
    schema = f'.schema("{own}")' if p.chance.random() < 0.3 or dataset.format == "json" else ""
    p.add(f"{variable} = spark.read{schema}.{dataset.format}({place})")
    return dict(dataset.columns)


def _otherwise(p: Program, dataset: Dataset, variable: str) -> Columns:
    place = f'f"{{root}}/{dataset.name}"'
    if p.chance.random() < 0.3 or dataset.format in ("parquet", "orc"):
        p.add(
            f'{variable} = spark.read.format("binaryFile").option("recursiveFileLookup", True).load({place})'
        )
        p.add(f'{variable} = {variable}.select("path", F.decode("content", "ISO-8859-1").alias("content"))')
        return {"path": Leaf(), "content": Leaf()}
    if dataset.format == "csv" and p.chance.random() < 0.6:
        return _without_header(p, dataset, variable, place)
    if dataset.format == "text" and isinstance(found := dataset.columns["value"], Packed) and found.fields:
        own = ", ".join(f"{name} {ddl(kind)}" for name, kind in found.fields.items())
        p.add(f'{variable} = spark.read.schema("{own}").json({place})')
        return dict(found.fields)
    if dataset.format == "json" and p.chance.random() < 0.3:
        p.add(f'{variable} = spark.read.schema("whole string").csv({place}, sep="~")')
        return {"whole": Packed(dataset.columns)}
    p.add(f"{variable} = spark.read.text({place})")
    return {"value": Packed(dataset.columns) if dataset.format == "json" else Leaf()}


def _without_header(p: Program, dataset: Dataset, variable: str, place: str) -> Columns:
    assert is_flat(dataset.columns)
    p.add(f"{variable} = spark.read.csv({place}, multiLine=True)")
    kinds = [kind for name, kind in texts(dataset.columns).items() if name != dataset.by]
    found: dict[str, Kind] = {f"_c{at}": kind for at, kind in enumerate(kinds)}
    return {**found, dataset.by: dataset.columns[dataset.by]} if dataset.by else found
