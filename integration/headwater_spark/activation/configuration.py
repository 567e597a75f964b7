"""A table of all settings that the agent reads: generates ``docs/configuration.md``, and detects unknown keys.

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
    """A setting. In a name, ``<…>`` stands for any text without a dot, and a final ``*`` for any text."""

    name: str
    default: str
    meaning: str

    def covers(self, name: str) -> bool:
        """Whether the name is this key, or one of those that it stands for."""
        pattern = re.escape(self.name).replace(r"\*", ".+")
        return re.fullmatch(re.sub("<[^>]*>", "[^.]+", pattern), name) is not None


HEADWATER: Final = (
    Key("spark.headwater.enabled", "true", "`false` switches the agent off."),
    Key(
        "spark.headwater.python",
        "the driver's Python",
        "The Python in which Headwater is installed. Without it: `spark.pyspark.driver.python`, `spark.pyspark.python`,"
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
        "Report, once each, the reads that return values to the program (`collect`, `toPandas`, `first`, `foreach`,"
        " actions on RDDs, …): the only trace of data that leaves Spark. `false` does not report them; the data that"
        " the program's own constants and rows may contain afterwards is listed even so.",
    ),
    Key(
        "spark.headwater.literals",
        "predicates",
        "The program's constants that are emitted, see [below](#constants-of-the-program): those of `predicates` and"
        " selectors; `hide`: none; `show`: all, and complete error messages.",
    ),
    Key(
        "spark.headwater.udfs",
        "",
        "A file that declares what user functions read and write, for functions that cannot be decorated.",
    ),
    Key(
        "spark.headwater.gate",
        "off",
        "`warn` logs each write that would violate a policy, `block` refuses it before it begins:"
        " [boundary.md](boundary.md#a-gate-before-each-write). Like the other settings of the gate, it is read when the"
        " application starts, and a value that is none of these counts as a failure of the gate.",
    ),
    Key("spark.headwater.gate.policies", "", "The file of policies, as `headwater check` takes it."),
    Key("spark.headwater.gate.rules", "", "The file of rules that say what is personal."),
    Key(
        "spark.headwater.gate.onError",
        "allow",
        "What happens to a write that could not be judged, or of which it is not known whether it violates a policy:"
        " `allow` logs that, `block` refuses it.",
    ),
    Key("spark.headwater.gate.timeout", "60s", "How long a write waits for the verdict at most."),
    Key(
        "spark.headwater.flush.timeout",
        "10s",
        "The longest time that the end of the application waits for the agent, in total; events that are not delivered"
        " by then stay in the spool.",
    ),
    Key(
        "spark.headwater.linger.timeout",
        "120s",
        "How long an agent that has not read everything by then goes on by itself after the driver has ended, which"
        " happens where processors are overloaded: what it has read by its own end is delivered, or stays in the spool."
        " Where the system ends all processes with the driver (a container), give `spark.headwater.flush.timeout` more"
        " time instead. With `0` it is ended with the driver, and runs of which it has not made events are lost, with a"
        " warning.",
    ),
    Key(
        "spark.headwater.spool.dir",
        "$XDG_CACHE_HOME/headwater/spool, or ~/.cache/headwater/spool",
        "Where events are kept until they are delivered.",
    ),
    Key(
        "spark.headwater.spool.maxBytes",
        "256000000",
        "The size of all events that wait for one receiver; further events are lost, with a warning in the log.",
    ),
    Key("spark.headwater.plan.maxBytes", "8m", "A larger plan is cut, and its lineage marked as incomplete."),
    Key(
        "spark.headwater.event.maxBytes",
        "4000000",
        "A larger event is shortened, and its lineage marked as incomplete.",
    ),
    Key(
        "spark.headwater.text.maxLength",
        "4096",
        "Characters of a text (SQL, an expression, a message); a longer one ends with a note of what is cut off.",
    ),
    Key(
        "spark.headwater.queue.maxDocuments",
        "512",
        "Documents that may wait between Spark and the agent; further ones are dropped, and the lineage is marked as"
        " incomplete.",
    ),
    Key("spark.headwater.queue.maxBytes", "16m", "The same in bytes."),
    Key(
        "spark.headwater.capture.file",
        "",
        "A file to which each plan document is appended, for support: with the program's constants and complete error"
        " messages. Also the variable `HEADWATER_CAPTURE`.",
    ),
    Key(
        "spark.headwater.apiKey.receiver",
        "",
        "The `http://` or `https://` URL of the receiver that gets the key in `HEADWATER_API_KEY`, or in the file that"
        " `HEADWATER_API_KEY_FILE` names, unless `auth.apiKey` is set. `headwater run --url` sets it.",
    ),
    Key(
        "spark.headwater.program",
        "",
        "A file in which the Python program notes what it reads by itself. `headwater run`, `configure` and `attach`"
        " set it. Without it, rows that the program makes are reported as rows of unknown origin.",
    ),
    Key(
        "spark.headwater.marker",
        "",
        "A directory with a file while events are being delivered, and afterwards one with statistics. `headwater run`"
        " sets it, and receives the application's last event through it, to add how the script ended.",
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
    Key("spark.openlineage.rootParentJobNamespace", "", "The topmost ancestor job: its namespace,"),
    Key("spark.openlineage.rootParentJobName", "", "its name,"),
    Key("spark.openlineage.rootParentRunId", "", "and its run, a UUID."),
    Key(
        "spark.openlineage.dataset.namespaceResolvers.<name>.type",
        "",
        "Replaces namespaces of datasets: `hostList` replaces a host by the name, `pattern` replaces all matches of a"
        " regular expression by it, `patternGroup` replaces them by a group of the match. The first resolver, by name,"
        " that changes a namespace is used, also for the other names of tables. At the server, namespace rules do the"
        " same for stored names ([names.md](names.md)).",
    ),
    Key(
        "spark.openlineage.dataset.namespaceResolvers.<name>.hosts", "", "The hosts of a `hostList`: `[a;b]`."
    ),
    Key(
        "spark.openlineage.dataset.namespaceResolvers.<name>.regex",
        "",
        "The regular expression of a pattern.",
    ),
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
    Key("spark.openlineage.facets.disabled", "", "Facets that are not emitted: `[name;name]`."),
    Key("spark.openlineage.facets.<facet>.disabled", "false", "`true` does not emit that facet."),
    Key(
        "spark.openlineage.columnLineage.datasetLineageEnabled",
        "true",
        "`false` repeats a dataset's indirect lineage at each of its columns.",
    ),
    Key(
        "spark.openlineage.jobName.appendDatasetName",
        "true",
        "Whether a job's name ends with its dataset's name.",
    ),
    Key(
        "spark.openlineage.jobName.replaceDotWithUnderscore",
        "false",
        "Whether command and dataset are joined by an underscore instead of a dot in a job's name.",
    ),
    Key("spark.openlineage.job.tags", "", "Tags of jobs: `key:value:source;key`."),
    Key("spark.openlineage.run.tags", "", "Tags of runs, in the same form."),
    Key("spark.openlineage.job.owners.<type>", "", "An owner of the jobs."),
)
ENVIRONMENT: Final = (
    Key(
        "OPENLINEAGE_CONFIG",
        "openlineage.yml",
        "The client's configuration file, if Spark's configuration has no transport.",
    ),
    Key("OPENLINEAGE_URL", "", "An HTTP receiver, if neither Spark's configuration nor the file has one."),
    Key("OPENLINEAGE_ENDPOINT", "api/v1/lineage", "The path at that receiver."),
    Key("OPENLINEAGE_API_KEY", "", "Its API key."),
    Key("OPENLINEAGE_DISABLED", "false", "`true` disables all events."),
)
KEYS: Final = (*HEADWATER, *OPENLINEAGE)


def unknown_settings(conf: Mapping[str, str]) -> Iterator[tuple[str, str | None]]:
    """Yield each key with Headwater's prefix that does not exist, with the most similar existing one, if any."""
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

<!-- Made from integration/headwater_spark/activation/configuration.py by `make generated`. -->

`headwater spark-conf` prints those that switch the agent on. They are Spark settings: in `spark-defaults.conf`, by
`--conf`, or in the session's builder. Sizes (`64m`) and durations (`10s`) are in Spark's notation. An invalid value
counts as unset. An unknown key that begins with `spark.headwater.` causes one warning, which names the most similar
known key.

## Headwater's own

{headwater}

## Those of OpenLineage's Spark agent

They have the same meaning as in OpenLineage's Spark agent.

{openlineage}

## Environment

{environment}

## What is never emitted

Passwords, keys, tokens and user information are removed from URLs, options, SQL, conditions, error messages and every
other text of an event, first in the driver and again in the agent's process. Of a data source's options, only those
with the location of the data are emitted. The settings above are known to the agent's process and are in no event,
except for names, tags and owners, whose purpose that is.

## Constants of the program

A constant may be data: `F.lit(ssn)`, a map literal of collected rows. `spark.headwater.literals` selects the constants
that are emitted, in operators, conditions, generated values, positions and SQL text alike:

- `predicates`, the default: a constant in a **value position** is never emitted, but replaced by `<string>`. Such
  positions are literal columns, arguments of functions, map, array and struct literals, branches of a CASE, defaults,
  `VALUES` and assignments. A constant in a **predicate** is emitted, because queries about conditions need it: the
  operand of a comparison, `IN`, `LIKE` or `BETWEEN`, and constants in the condition of a filter or join. So is a
  **selector**: `items[0]`, `props['k']`, `'$.user.id'`. In an application that **collected data before**, both are
  emitted as tokens. Comments in SQL are removed, and an error's message is Spark's condition and its template.
- `hide`: as `predicates`, but constants of predicates and selectors are not emitted either.
- `show`: all constants, comments and error messages are emitted unchanged.

A constant in an uncertain position is treated as a value. In SQL text, a position is uncertain unless the constant is
the operand of a comparison in `WHERE`, `HAVING`, `ON` or `WHEN`, outside of any function's parentheses.

A token, `token:<key>:<digest>`, is a keyed digest of the constant, of type `token` in `headwater_conditions`. The key
is random, created for each application by the agent's process, and kept only in its memory. Tokens of one application
are equal exactly if their constants are; tokens of different applications, with different `<key>`s, cannot be compared,
and tokens have no order. A constant cannot be found by trying all possible ones, since the key is stored nowhere.

An error without a template of Spark, such as that of a Python function, keeps only the names of the exceptions. Stack
traces keep these names and the frames.

These settings do **not** hide names: of columns, members, tables, files, functions, jobs and applications. So a
constant is emitted if a program uses it as a name:

- Spark names a column without an alias after its expression: `SELECT '123-45-6789'` creates a column `123-45-6789`. If
  it is written, the dataset really has a column of that name: give it an alias. Between operators it is `<string>`.
- The values of a `pivot` become columns, also those that Spark finds in the data.
- A directory `ssn=123-45-6789` that is read or written by its own path is a dataset of that name. Read the table's
  directory instead, whose name has no partitions.
- Names of jobs and applications, topics and tables that a program builds from data.

`spark.headwater.capture.file` contains everything; it is for support, and is never sent anywhere.
"""

if __name__ == "__main__":
    sys.stdout.write(document())
