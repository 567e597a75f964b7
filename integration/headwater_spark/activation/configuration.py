"""Every setting that the agent reads, as data: ``docs/configuration.md`` is made from it, and misspelt keys are found.

python -m headwater_spark.activation.configuration      prints the document
"""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

OURS: Final = "spark.headwater."


@dataclass(frozen=True, slots=True)
class Key:
    """A setting. ``<…>`` in a name stands for any text without a dot, ``*`` at its end for anything."""

    name: str
    default: str
    meaning: str

    def covers(self, name: str) -> bool:
        """Whether that is this key, or one of those that it stands for."""
        pattern = re.escape(self.name).replace(r"\*", ".+")
        return re.fullmatch(re.sub("<[^>]*>", "[^.]+", pattern), name) is not None


HEADWATER: Final = (
    Key("spark.headwater.enabled", "true", "`false` switches the agent off."),
    Key(
        "spark.headwater.python",
        "the driver's Python",
        "The Python that has Headwater installed. Without it: `spark.pyspark.driver.python`, `spark.pyspark.python`,"
        " `PYSPARK_DRIVER_PYTHON`, `PYSPARK_PYTHON`, `python3`.",
    ),
    Key(
        "spark.headwater.access.enabled",
        "false",
        "Report every read without a write (`show`, `count`, each single `collect`, …) as a run: inputs with the paths"
        " that were read, no output.",
    ),
    Key(
        "spark.headwater.access.driver.enabled",
        "true",
        "Report, each once, the reads that hand values to the program (`collect`, `toPandas`, `first`, `foreach`,"
        " actions on RDDs, …): the one trace of data that leaves Spark. `false` leaves them out; what the program's own"
        " constants and rows may contain afterwards is listed all the same.",
    ),
    Key(
        "spark.headwater.literals",
        "predicates",
        "Which of the program's constants leave, see [below](#constants-of-the-program): those of `predicates` and"
        " selectors; `hide`: none; `show`: all, and whole error messages.",
    ),
    Key(
        "spark.headwater.udfs",
        "",
        "A file that declares what user functions read and write, for functions that you cannot decorate.",
    ),
    Key(
        "spark.headwater.flush.timeout",
        "10s",
        "How long the application's end waits for the agent at most, in total; events that have not arrived by then"
        " stay in the spool.",
    ),
    Key(
        "spark.headwater.spool.dir",
        "$XDG_CACHE_HOME/headwater/spool, or ~/.cache/headwater/spool",
        "Where events wait until they have arrived.",
    ),
    Key(
        "spark.headwater.spool.maxBytes",
        "256000000",
        "How much may wait for one receiver; events beyond that are lost, and the loss is reported.",
    ),
    Key("spark.headwater.plan.maxBytes", "8m", "A larger plan is truncated, and the event reports that."),
    Key("spark.headwater.event.maxBytes", "4000000", "A larger event is truncated, and reports that."),
    Key(
        "spark.headwater.text.maxLength",
        "4096",
        "Characters of a text (SQL, an expression, a message); longer ones are cut, visibly.",
    ),
    Key(
        "spark.headwater.queue.maxDocuments",
        "512",
        "Documents that may wait between Spark and the agent; more are dropped, and the event reports that.",
    ),
    Key("spark.headwater.queue.maxBytes", "16m", "The same in bytes."),
    Key(
        "spark.headwater.capture.file",
        "",
        "A file to which each plan document is appended, for support: with the program's constants and whole error"
        " messages. Also the variable `HEADWATER_CAPTURE`.",
    ),
    Key(
        "spark.headwater.marker",
        "",
        "A directory that holds a file while something is left to deliver, and afterwards one that counts what was"
        " seen. `headwater run` sets it, and takes the application's last event there, to add how the script ended.",
    ),
)
OPENLINEAGE: Final = (
    Key("spark.openlineage.disabled", "false", "`true` switches the agent off."),
    Key(
        "spark.openlineage.transport.type",
        "",
        "`http`, `file`, `kafka`, `console`, `composite`, `noop`, or any transport of openlineage-python.",
    ),
    Key(
        "spark.openlineage.transport.*",
        "",
        "The transport's own keys: `url`, `endpoint`, `timeoutInMillis`, `auth.type`, `auth.apiKey`, `headers.*`,"
        " `urlParams.*`, `compression`; `location`; `topicName`, `properties.*`, `messageKey`; `transports.<name>.*`.",
    ),
    Key("spark.openlineage.namespace", "default", "The namespace of jobs."),
    Key("spark.openlineage.appName", "the application's name", "The application's part of job names."),
    Key("spark.openlineage.parentJobNamespace", "", "The job that started the application: its namespace,"),
    Key("spark.openlineage.parentJobName", "", "its name,"),
    Key("spark.openlineage.parentRunId", "", "and its run, a UUID."),
    Key("spark.openlineage.rootParentJobNamespace", "", "The job at the top of it all: its namespace,"),
    Key("spark.openlineage.rootParentJobName", "", "its name,"),
    Key("spark.openlineage.rootParentRunId", "", "and its run, a UUID."),
    Key(
        "spark.openlineage.dataset.namespaceResolvers.<name>.type",
        "",
        "Gives datasets another namespace: `hostList` puts the name in the place of a host, `pattern` in the place of"
        " what an expression finds, `patternGroup` what a group of it holds. The first by name that changes a namespace"
        " counts, for the other names of tables as well. At the server, namespace rules do the same for what is"
        " stored already ([names.md](names.md)).",
    ),
    Key(
        "spark.openlineage.dataset.namespaceResolvers.<name>.hosts", "", "The hosts of a `hostList`: `[a;b]`."
    ),
    Key("spark.openlineage.dataset.namespaceResolvers.<name>.regex", "", "The expression of a pattern."),
    Key(
        "spark.openlineage.dataset.namespaceResolvers.<name>.matchingGroup",
        "",
        "The group of a `patternGroup`: `(?<name>…)`.",
    ),
    Key(
        "spark.openlineage.dataset.namespaceResolvers.<name>.schema",
        "",
        "Only namespaces that begin with it and `://`.",
    ),
    Key("spark.openlineage.facets.disabled", "", "Facets that are left out: `[name;name]`."),
    Key("spark.openlineage.facets.<facet>.disabled", "false", "`true` leaves that facet out."),
    Key(
        "spark.openlineage.columnLineage.datasetLineageEnabled",
        "true",
        "`false` repeats a dataset's indirect lineage at each of its columns.",
    ),
    Key(
        "spark.openlineage.jobName.appendDatasetName", "true", "Whether a job's name ends with its dataset's."
    ),
    Key("spark.openlineage.jobName.replaceDotWithUnderscore", "false", "Whether it is one word."),
    Key("spark.openlineage.job.tags", "", "Tags of jobs: `key:value:source;key`."),
    Key("spark.openlineage.run.tags", "", "Tags of runs, likewise."),
    Key("spark.openlineage.job.owners.<type>", "", "An owner of the jobs."),
)
ENVIRONMENT: Final = (
    Key(
        "OPENLINEAGE_CONFIG",
        "openlineage.yml",
        "The client's configuration file, where Spark names no transport.",
    ),
    Key("OPENLINEAGE_URL", "", "An HTTP receiver, where neither Spark nor the file names one."),
    Key("OPENLINEAGE_ENDPOINT", "api/v1/lineage", "The path at that receiver."),
    Key("OPENLINEAGE_API_KEY", "", "Its API key."),
    Key("OPENLINEAGE_DISABLED", "false", "`true` sends nothing."),
)
KEYS: Final = (*HEADWATER, *OPENLINEAGE)


def misspelt(conf: Mapping[str, str]) -> Iterator[tuple[str, str | None]]:
    """Each key of ours that there is none of, with the nearest that there is."""
    for name in conf:
        if name.startswith(OURS) and not any(key.covers(name) for key in HEADWATER):
            nearest = difflib.get_close_matches(name, [key.name for key in HEADWATER], n=1, cutoff=0.75)
            yield name, next(iter(nearest), None)


def document() -> str:
    """The settings as Markdown."""
    return _DOCUMENT.format(
        headwater=_table(HEADWATER), openlineage=_table(OPENLINEAGE), environment=_table(ENVIRONMENT)
    )


def _table(keys: tuple[Key, ...]) -> str:
    rows = (f"| `{key.name}` | {_default(key.default)} | {key.meaning} |" for key in keys)
    return "\n".join(["| key | default | meaning |", "|---|---|---|", *rows])


def _default(text: str) -> str:
    return f"`{text}`" if text and " " not in text else text


_DOCUMENT: Final = """\
# Settings of the agent

<!-- Made from integration/headwater_spark/activation/configuration.py by `make docs`. -->

`headwater spark-conf` prints those that switch the agent on. They are Spark settings: in `spark-defaults.conf`, by
`--conf`, or in the session's builder. Sizes are written as Spark writes them (`64m`), and so are durations (`10s`).
A value that cannot be read counts as unset. A key that begins with `spark.headwater.` and is none of these causes one
warning, with the nearest existing key.

## Headwater's own

{headwater}

## Those of OpenLineage's Spark agent

They have the same meaning as in that agent.

{openlineage}

## Environment

{environment}

## What never leaves

Passwords, keys, tokens and user information are removed from URLs, options, SQL, conditions, error messages and every
other text of an event, in the driver first and in the agent's process again. Of a data source's options only those
leave that locate the data. The settings above are known to the agent's process and are in no event, except for
names, tags and owners, whose purpose is to be in events.

## Constants of the program

A constant may be data: `F.lit(ssn)`, a map literal made of collected rows. `spark.headwater.literals` selects which of
them leave, in operators, conditions, generated values, positions and SQL text alike:

- `predicates`, the default: a constant in a **value position** never leaves, `<string>` stands for it. Such positions
  are literal columns, arguments of functions, map, array and struct literals, branches of a CASE, defaults, `VALUES`
  and assignments. A constant in a **predicate** leaves as it is, because questions about conditions need it: what a
  comparison, `IN`, `LIKE` or `BETWEEN` compares with, and what a filter's or join's condition holds. So does a
  **selector**: `items[0]`, `props['k']`, `'$.user.id'`. In an application that **collected data before**, both leave
  as tokens. Comments in SQL are left out, and an error's message is Spark's condition and its template.
- `hide`: as `predicates`, and constants of predicates and selectors do not leave either.
- `show`: all constants, comments and error messages leave as they are.

Where a position is not certain, the constant counts as a value. Of SQL text that is so unless the constant is the
operand of a comparison in `WHERE`, `HAVING`, `ON` or `WHEN`, outside of any function's parentheses.

A token, `token:<key>:<digest>`, is a keyed digest of the constant, of type `token` in `headwater_conditions`. The key
is random, made for each application by the agent's process, in whose memory it stays and with which it ends. Tokens of
one application are equal exactly when their constants are; tokens of different applications, with different `<key>`s,
reveal nothing about each other, and none has an order. Nobody can find a constant by trying all possible ones, since no
key is kept anywhere.

An error that follows no template of Spark's, as what a Python function raises, keeps only the names of what was raised.
Of stack traces the names and frames stay.

What these settings do **not** hide are names: of columns, members, tables, files, functions, jobs and applications. So
a constant leaves where a program makes a name of it:

- Spark calls a column without an alias by its expression: `SELECT '123-45-6789'` makes a column `123-45-6789`. Where
  it is written, the dataset really has a column of that name: give it an alias. Between operators it is `<string>`.
- The values of a `pivot` become columns, also those that Spark finds in the data.
- A directory `ssn=123-45-6789` that is read or written by its own path is a dataset of that name. Read the table's
  directory instead, which is named without its partitions.
- Names of jobs and applications, topics and tables that a program builds from data.

`spark.headwater.capture.file` holds everything; it is for support and leaves the machine only by your hand.
"""

if __name__ == "__main__":
    sys.stdout.write(document())
