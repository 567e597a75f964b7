"""Pipelines by chance: jobs that read what others wrote, as files of many formats and as tables, in several orders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product

from oracle.active.expressions import DOMAINS, Chance
from oracle.active.shapes import DECIDABLE, HOSTILE, JOINS, MOVED, TWO
from oracle.companies.company import Company, Night, Source, Step

DDL = "region string, num bigint, code string, day date, x string, xt string, y string, yt string"
NAMES = "region, num, code, day, x, xt, y, yt"
KEPT = ("parquet", "parquet", "parquet", "orc", "by region", "table")
ODD = (*KEPT, "csv", "json", "by code", "by num", "fixed", "fixed, saved", "appended")


@dataclass(frozen=True)
class Pipeline:
    """Jobs, the format of each dataset, and whether all that can happen does: no job picks rows."""

    seed: int
    jobs: tuple[Step, ...]
    formats: Mapping[str, str]
    exhaustive: bool
    replaced: bool
    """Whether a dataset is overwritten after it was read: passive lineage does not list what it held then."""

    @property
    def text(self) -> str:
        return "\n".join(line for job in self.jobs for line in (f"# {job.name}", *job.lines))


@dataclass
class _Making:
    chance: Chance
    prefix: str
    jobs: list[Step] = field(default_factory=list)
    formats: dict[str, str] = field(default_factory=dict)
    joins: int = 0
    picks: bool = False

    def job(self, output: str, sources: list[str], form: str) -> None:
        chance, shapes = self.chance, HOSTILE if self.chance.hostile else DECIDABLE
        shape = chance.choice(shapes)
        if shape in JOINS:
            self.joins += 1
            shape = shapes[0] if self.joins > 1 else shape
        query = shape(chance, output)
        self.picks |= query.picks
        read = [chance.choice(sources) for _ in range(2 if shape in TWO else 1)]
        ansi = chance.hostile and chance.random() < 0.1
        lines = [f'spark.conf.set("spark.sql.ansi.enabled", "{str(ansi).lower()}")']
        lines += [
            f'{self.reader(name)}.createOrReplaceTempView("{view}")'
            for name, view in zip(read, "ab", strict=False)
        ]
        if " other" in query.sql:
            lines.append(f'{self.reader(sources[-1])}.createOrReplaceTempView("other")')
        lines += [f"df = spark.sql({query.sql!r})", *self.write(output, form)]
        self.jobs.append(Step(f"make {output}", lines, frozenset(read), frozenset({output})))

    def reader(self, name: str) -> str:
        form, place = self.formats.get(name, "parquet"), f'f"{{root}}/{name}"'
        if form in ("table", "fixed", "appended"):
            return f'spark.table("{name}")'
        if form == "csv":
            return f'spark.read.schema("{DDL}").option("header", True).csv({place})'
        if form == "json":
            return f'spark.read.schema("{DDL}").json({place})'
        if form == "orc":
            return f"spark.read.orc({place})"
        typed = f'.schema("{DDL}")' if form in ("by region", "by num") else ""
        return f"spark.read{typed}.parquet({place})"

    def write(self, name: str, form: str) -> list[str]:
        place = f'f"{{root}}/{name}"'
        known = name in self.formats
        self.formats[name] = form
        mode = "append" if known and form != "csv" else "overwrite"
        chosen = f'df.selectExpr(*"{NAMES}".split(", ")).write.mode("{mode}")'
        if form.startswith("fixed"):
            length = (
                3 if form == "fixed, saved" else 4
            )  # of three, one of the constants is another one padded
            ddl = DDL.replace("region string", f"region char({length})").replace(
                "code string", "code varchar(5)"
            )
            make = f"CREATE TABLE IF NOT EXISTS {name} ({ddl}) USING parquet LOCATION '{{root}}/{name}'"
            if form == "fixed, saved":
                return [
                    f'spark.sql(f"{make}")',
                    f'{chosen.replace("overwrite", "append")}.saveAsTable("{name}")',
                ]
            return [
                f'spark.sql(f"{make}")',
                'df.createOrReplaceTempView("made")',
                f'spark.sql("INSERT INTO {name} SELECT {NAMES} FROM made")',
            ]
        if form in ("table", "appended"):
            partitioned = '.partitionBy("region")' if form == "appended" else ""
            return [f'{chosen}{partitioned}.option("path", {place}).saveAsTable("{name}")']
        if form.startswith("by "):
            return [f'{chosen}.partitionBy("{form[3:]}").parquet({place})']
        if form == "csv":
            return [f'{chosen}.option("header", True).csv({place})']
        return [f"{chosen}.{form}({place})"]


def pipeline(seed: int, *, hostile: bool, collations: bool = False) -> Pipeline:
    """The pipeline of a seed."""
    chance = Chance(seed)
    chance.hostile, chance.collations = hostile, hostile and collations
    making = _Making(chance, f"p{seed}")
    level = sources(seed)
    for depth in range(chance.randint(2, 4)):
        made = []
        for number in range(chance.randint(1, 2)):
            output, form = f"p{seed}_d{depth}{number}", chance.choice(ODD if hostile else KEPT)
            for _ in range(2 if chance.random() < 0.2 else 1):
                making.job(output, level, form)
            made.append(output)
        level = [*made, *(level if hostile and chance.random() < 0.3 else ())]
    replaced = hostile and chance.random() < 0.3 and _again(making, chance)
    return Pipeline(seed, tuple(making.jobs), making.formats, not making.picks, replaced)


def _again(making: _Making, chance: Chance) -> bool:
    """A dataset is overwritten after it was read, and sometimes its reader runs once more. Whether there is one."""
    whole = [n for n, f in making.formats.items() if f in ("parquet", "orc")]
    if not whole:
        return False
    output = chance.choice(whole)
    form = making.formats.pop(output)
    making.job(output, sources_of(output), form)
    readers = [job for job in making.jobs if output in job.reads and job.writes.isdisjoint({output})]
    if readers and chance.random() < 0.5:
        making.jobs.append(readers[0])
    return True


def sources(seed: int) -> list[str]:
    """The names of a pipeline's sources."""
    return [f"p{seed}_s0", f"p{seed}_s1"]


def sources_of(name: str) -> list[str]:
    return sources(int(name[1:].partition("_")[0]))


def batch(number: int, pipelines: list[Pipeline], conf: Mapping[str, str]) -> Company:
    """Pipelines that are executed in one application."""
    found = [Source(name, "parquet", rows(name), {}) for each in pipelines for name in sources(each.seed)]
    night = Night(f"batch{number}", [job for each in pipelines for job in each.jobs], [], conf)
    return Company(number, found, [night])


def rows(source: str) -> list[dict[str, object]]:
    """Rows for each combination of values: with tokens of their own, and with one of the tokens missing."""
    combined = product(product(*DOMAINS.values()), ("xy", "x", "y"))
    return [
        {
            **dict(zip(DOMAINS, values, strict=True)),
            **{
                column: text if name in there else None
                for name in MOVED
                for column, text in ((name, f"{source}.{name}#{n}"), (f"{name}t", f"{source}.{name}"))
            },
        }
        for n, (values, there) in enumerate(combined)
    ]
