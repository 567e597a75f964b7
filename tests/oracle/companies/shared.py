"""Tables that jobs share with others: both store rows there, in turn, and jobs read them all in the end."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from typing import Final

from oracle.companies.company import Attribute, Company, Night, Step
from oracle.companies.features import Feature
from oracle.companies.kinds import leaves
from oracle.companies.people import word
from oracle.companies.reading import Dataset

FILES: Final = ("parquet", "json", "orc", "csv")
KINDS: Final = (*FILES, "stream", "database")
LAKES: Final = ("delta", "iceberg")
CATEGORY: Final = "user.contact.email"
"""Of the values that others store."""
CONF: Final = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension,"
    "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.databricks.delta.snapshotPartitions": "1",
    "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
    "spark.sql.catalog.lake.type": "hadoop",
}
"""The catalogs of Delta and Iceberg; the executor knows the warehouse."""


def share(company: Company, sources: Sequence[Dataset], features: Set[Feature]) -> None:
    """Add tables that others fill, too, to the company's nights; each job of the company stays as it is."""
    if Feature.OTHERS not in features or not company.nights:
        return
    chance = random.Random(f"others {company.seed}")
    kinds = [*KINDS, *LAKES, *LAKES] if Feature.LAKES in features else KINDS
    for n, kind in enumerate(chance.sample(kinds, chance.randint(1, 3))):
        name = f"SHARED_{n}" if kind == "database" else f"shared_{n}"
        _in_nights(company, chance, list(_Table(company, chance, chance.choice(sources), name, kind).steps()))
    if Feature.LAKES in features:
        company.nights = [replace(night, conf={**night.conf, **CONF}) for night in company.nights]


def _in_nights(company: Company, chance: random.Random, steps: Sequence[Step]) -> None:
    """One after the other, in the same application or in the next."""
    nights, at = company.nights, chance.randrange(len(company.nights))
    for step in steps:
        nights[at] = replace(nights[at], jobs=[*nights[at].jobs, step])
        if chance.random() < 0.4:
            at += 1
        if at == len(nights):
            nights.append(Night(f"night_{at}", [], []))


@dataclass
class _Table:
    company: Company
    chance: random.Random
    source: Dataset
    name: str
    kind: str

    @property
    def place(self) -> str:
        return f'f"{{root}}/{self.name}"'

    @property
    def url(self) -> str:
        return f'"jdbc:h2:mem:company_{self.company.seed};DB_CLOSE_DELAY=-1"'

    def steps(self) -> Iterator[Step]:
        """Others are first, or jobs are; others may be the last, except in a table that every job only adds to."""
        if self.kind in LAKES:
            yield self._step("declared", [self._declaration()], set(), {self.name})
        if self.chance.random() < 0.6:
            yield self._appended(0)
        for n in range(self.chance.randint(1, 2)):
            yield self._stored(n)
            yield self._appended(n + 1)
        if self.kind != "database" and self.chance.random() < 0.5:
            yield self._stored(2)
        yield self._read()

    def _step(self, name: str, lines: list[str], reads: set[str], writes: set[str]) -> Step:
        name = f"{self.name}_{name}".lower()
        return Step(name, lines, frozenset(reads), frozenset(writes), frozenset({Feature.OTHERS}))

    def _declaration(self) -> str:
        table = f"delta.`{{root}}/{self.name}`" if self.kind == "delta" else f"lake.{self.name}"
        return (
            f'spark.sql(f"CREATE TABLE IF NOT EXISTS {table} (one string, other string) USING {self.kind}")'
        )

    def _stored(self, n: int) -> Step:
        """Others store values that nobody else has."""
        of = Attribute(f"others_of_{self.name}", "one")
        values = [word(self.chance, 12) for _ in range(2)]
        self.company.tokens |= {value: {of} for value in values}
        self.company.others[of] = CATEGORY
        written = {
            "stream": f'store_files({self.place}, "parquet", {values})',
            "database": f'store_in_database(spark, {self.url}, "{self.name}", {values})',
            "delta": f"store_delta({self.place}, {values})",
            "iceberg": f'store_iceberg(spark, "lake.{self.name}", {self.place}, {values})',
        }.get(self.kind, f'store_files({self.place}, "{self.kind}", {values})')
        return self._step(
            f"stored_{n}", ["import strangers", f"strangers.{written}"], {of.source}, {self.name}
        )

    def _appended(self, n: int) -> Step:
        """A job appends rows with some attribute of a source."""
        path = self.chance.choice([path for path, leaf in leaves(self.source.columns) if leaf.of])
        lines = [
            f'df = spark.read.{self.source.format}(f"{{root}}/{self.source.name}")',
            f'df = df.selectExpr("cast({path} AS string) AS one", "\'x\' AS other")',
            *self._writing(),
        ]
        return self._step(f"appended_{n}", lines, {self.source.name}, {self.name, *self._fed})

    @property
    def _fed(self) -> set[str]:
        return {f"{self.name}_in"} if self.kind == "stream" else set()

    def _writing(self) -> list[str]:
        match self.kind:
            case "stream":
                fed, state = f'f"{{root}}/{self.name}_in"', f'f"{{root}}/_state_{self.name}"'
                return [
                    f'df.write.mode("append").parquet({fed})',
                    f'df = spark.readStream.schema("one string, other string").parquet({fed})',
                    f'df = df.writeStream.format("parquet").option("checkpointLocation", {state})',
                    f"df.trigger(availableNow=True).start({self.place}).awaitTermination()",
                ]
            case "database":
                return [
                    f'df.write.mode("append").jdbc({self.url}, "{self.name}", properties={{"driver": "org.h2.Driver"}})'
                ]
            case "delta":
                return [f'df.write.format("delta").mode("append").save({self.place})']
            case "iceberg":
                return [f'df.writeTo("lake.{self.name}").append()']
            case "csv":
                return [f'df.write.mode("append").csv({self.place}, header=True)']
            case _:
                return [f'df.write.mode("append").{self.kind}({self.place})']

    def _read(self) -> Step:
        """A job reads all rows, and writes them; those of a database are unloaded, too."""
        by = {
            "database": f'jdbc({self.url}, "{self.name}", properties={{"driver": "org.h2.Driver"}})',
            "stream": f'schema("one string, other string").parquet(f"{{root}}/{self.name}/*.parquet")',
            "delta": f'format("delta").load({self.place})',
            "iceberg": f'table("lake.{self.name}")',
            "csv": f"csv({self.place}, header=True)",
        }.get(self.kind, f"{self.kind}({self.place})")
        made = f"{self.name}_read".lower()
        lines = [f"df = spark.read.{by}", f'df.write.mode("overwrite").parquet(f"{{root}}/{made}")']
        if self.kind == "database":
            unload = f'strangers.unload(spark, {self.url}, "{self.name}", {self.place})'
            lines += ["import strangers", unload]
        return self._step("read", lines, {self.name}, {made})
