"""The gate before writes, in real jobs: what it refuses leaves no file behind, and what it allows is as without it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from kit.attempts import ATTEMPTS
from kit.connectors import KAFKA, jars
from kit.eye import Outcome, python
from kit.kafka import Broker
from kit.spark_lines import EITHER_LINE, SPARK_4, SPARK_35, SPARK_41, SparkLine

pytestmark = pytest.mark.spark

START = """
import json, shutil, sys
from pathlib import Path
from pyspark.sql import SparkSession, functions as F
import headwater_spark

here, settings = Path(sys.argv[1]), json.loads(sys.argv[2])
builder = SparkSession.builder.appName("gated").master("local[1]").config("spark.ui.enabled", "false")
for key, value in {"spark.driver.memory": "1g", "spark.sql.warehouse.dir": f"{here}/house", **settings}.items():
    builder = builder.config(key, value)
spark = headwater_spark.configure(builder, events=f"{here}/events.ndjson").getOrCreate()
"""
PEOPLE = """
mails = F.concat(F.lit("m"), F.col("id").cast("string"))
spark.range(6).select("id", mails.alias("mail"), (F.col("id") % 2).alias("land")).write.parquet(f"{here}/people")
people = spark.read.parquet(f"{here}/people")
people.createOrReplaceTempView("people")
"""
END = """
print("ANSWERS", json.dumps(answers))
print("EXTENSIONS", spark.sparkContext.getConf().get("spark.sql.extensions", ""))
spark.stop()
"""
ONE_WRITE = 'attempt("mails", lambda: people.select("mail").write.parquet(f"{here}/mart_mails"))'
MANY = """
mail = people.select("mail")
attempt("count", lambda: people.groupBy("land").count().write.parquet(f"{here}/mart_counts"))
attempt("stage", lambda: mail.write.parquet(f"{here}/stage"))
attempt("CREATE", lambda: spark.sql("CREATE TABLE mart_made (mail string) USING parquet"))
into = f"INSERT OVERWRITE DIRECTORY '{here}/mart_directory' USING parquet SELECT mail FROM people"
attempt("EXPLAIN", lambda: spark.sql(f"EXPLAIN {into}").collect())

attempt("no parquet", lambda: mail.write.parquet(f"{here}/mart_parquet"))
attempt("no csv", lambda: mail.write.csv(f"{here}/mart_csv"))
attempt("no member", lambda: people.select(F.struct("mail", "land").alias("s")).write.json(f"{here}/mart_member"))
attempt("no cached", lambda: mail.cache().write.orc(f"{here}/mart_cached"))
attempt("no chain", lambda: spark.read.parquet(f"{here}/stage").write.parquet(f"{here}/mart_chain"))
attempt("no overwrite", lambda: mail.write.mode("overwrite").parquet(f"{here}/mart_counts"))
attempt("no union", lambda: mail.union(spark.range(2).select(F.lit("x"))).write.parquet(f"{here}/mart_union"))
attempt("no INSERT DIRECTORY", lambda: spark.sql(into))
attempt("no CTAS", lambda: spark.sql("CREATE TABLE mart_ctas USING parquet AS SELECT mail FROM people"))
attempt("no saveAsTable", lambda: mail.write.saveAsTable("mart_saved"))
attempt("no writeTo", lambda: mail.writeTo("mart_v2").using("parquet").create())
attempt("no INSERT", lambda: spark.sql("INSERT INTO mart_made SELECT mail FROM people"))
attempt("no insertInto", lambda: mail.write.insertInto("mart_made"))
attempt("no INSERT twice", lambda: spark.sql(
    "FROM people INSERT INTO mart_made SELECT mail INSERT INTO mart_made SELECT CAST(land AS string)"))
derby, driver = f"jdbc:derby:{here}/derby;create=true", "org.apache.derby.jdbc.EmbeddedDriver"
for key, value in {"": "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog",
                   ".url": derby, ".driver": driver}.items():
    spark.conf.set(f"spark.sql.catalog.d{key}", value)
attempt("JDBC CREATE", lambda: spark.sql("CREATE TABLE d.APP.mart_jdbc (mail string)"))
attempt("no JDBC INSERT", lambda: spark.sql("INSERT INTO d.APP.mart_jdbc SELECT mail FROM people"))
attempt("no JDBC append", lambda: mail.writeTo("d.APP.mart_jdbc").append())
attempt("no JDBC CTAS", lambda: spark.sql("CREATE TABLE d.APP.mart_new AS SELECT mail FROM people"))
attempt("no JDBC", lambda: mail.write.jdbc(derby, "mart_v1", properties={"driver": driver}))
answers["jdbc"] = [sorted(row.tableName for row in spark.sql("SHOW TABLES IN d.APP").collect()),
                spark.table("d.APP.mart_jdbc").count()]
each = spark.readStream.schema(people.schema).parquet(f"{here}/people").select("mail").writeStream
each = each.trigger(availableNow=True).option("checkpointLocation", f"{here}/checkpoint")
attempt("no foreachBatch", lambda: each.foreachBatch(
    lambda batch, _: batch.write.mode("append").parquet(f"{here}/mart_batch")).start().awaitTermination())
rows = people.collect()
attempt("rows", lambda: spark.createDataFrame(rows).write.parquet(f"{here}/mart_rows"))
"""
OVERWRITES = """
derby, driver = f"jdbc:derby:{here}/derby;create=true", "org.apache.derby.jdbc.EmbeddedDriver"
for key, value in {"": "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog",
                   ".url": derby, ".driver": driver}.items():
    spark.conf.set(f"spark.sql.catalog.d{key}", value)
old = people.groupBy("land").count().selectExpr("CAST(land AS string) AS mail", "1 AS p")
new = {"no ": people.selectExpr("mail", "1 AS p"), "": old.selectExpr("mail || '!' AS mail", "p")}
jdbc = {"driver": driver}
answers["old"] = {}

def replace(case, place, first, then, read=spark.table, new=new):
    for allowed, frame in new.items():
        first(f"mart_{place}")
        attempt(allowed + case, lambda: then(frame, f"mart_{place}"))
        answers["old"][allowed + case] = sorted(row.mail for row in read(f"mart_{place}").collect())
        place += "_allowed"

saved = lambda name: old.write.saveAsTable(name)
made = lambda name: old.writeTo(f"d.APP.{name}").create()
in_d = lambda name: spark.table(f"d.APP.{name}")
over = lambda frame: frame.write.mode("overwrite")
frame_of = lambda frame: frame.createOrReplaceTempView("new") or "SELECT * FROM new"
read_jdbc = lambda name: spark.read.jdbc(derby, f"APP.{name}", properties=jdbc)
replace("saveAsTable", "saved", saved, lambda frame, name: over(frame).saveAsTable(name))
replace("saveAsTable of arguments", "arguments", saved,
        lambda frame, name: frame.write.saveAsTable(name, format="orc", mode="overwrite", partitionBy="p"))
replace("saveAsTable at a path", "path", lambda name: old.write.option("path", f"{here}/{name}").saveAsTable(name),
        lambda frame, name: over(frame).option("path", f"{here}/{name}").saveAsTable(name))
replace("saveAsTable in a database", "database", saved,
        lambda frame, name: over(frame).saveAsTable(f"spark_catalog.default.{name}"))
replace("insertInto", "inserted", saved, lambda frame, name: frame.write.insertInto(name, overwrite=True))
replace("INSERT OVERWRITE", "sql", saved,
        lambda frame, name: spark.sql(f"INSERT OVERWRITE {name} {frame_of(frame)}"))
replace("parquet", "files", lambda name: old.write.parquet(f"{here}/{name}"),
        lambda frame, name: over(frame).parquet(f"{here}/{name}"), lambda name: spark.read.parquet(f"{here}/{name}"))
replace("dynamic partitions", "dynamic", lambda name: old.write.partitionBy("p").parquet(f"{here}/{name}"),
        lambda frame, name: over(frame).option("partitionOverwriteMode", "dynamic").partitionBy("p")
        .parquet(f"{here}/{name}"), lambda name: spark.read.parquet(f"{here}/{name}"))
for truncate in ("false", "true"):
    replace(f"JDBC truncate={truncate}", f"jdbc_{truncate}",
            lambda name: old.write.jdbc(derby, f"APP.{name}", properties=jdbc),
            lambda frame, name: over(frame).option("truncate", truncate).jdbc(derby, f"APP.{name}", properties=jdbc),
            read_jdbc)
replace("createOrReplace", "v2", made, lambda frame, name: frame.writeTo(f"d.APP.{name}").createOrReplace(), in_d)
replace("replace", "replaced", made, lambda frame, name: frame.writeTo(f"d.APP.{name}").replace(), in_d)
replace("CREATE OR REPLACE", "rtas", made, lambda frame, name: spark.sql(
    f"CREATE OR REPLACE TABLE d.APP.{name} AS {frame_of(frame)}"), in_d)
replace("saveAsTable in a catalog", "v2_saved", made,
        lambda frame, name: over(frame).saveAsTable(f"d.APP.{name}"), in_d,
        {"no ": new["no "]})  # what is allowed, this catalog does not take
replace("overwrite", "v2_over", made,
        lambda frame, name: frame.writeTo(f"d.APP.{name}").overwrite(F.lit(True)), in_d)
"""
FROM_THE_JVM = """
old = people.groupBy("land").count().selectExpr("CAST(land AS string) AS mail")
old.write.saveAsTable("mart_saved")
attempt("jvm", lambda: old.write.mode("overwrite")._jwrite.saveAsTable("mart_saved"))
answers["old"] = sorted(row.mail for row in spark.table("mart_saved").collect())
"""
RANGE = """
attempt("SET", lambda: spark.sql("SET a.b=c"))
attempt("range", lambda: spark.range(3).write.parquet(f"{here}/mart_range"))
"""
UNJUDGED = """
spark.sql("SET a.b=c")
spark.sql("SHOW TABLES").collect()
spark.sql("CREATE TEMPORARY VIEW people AS SELECT 'a' AS mail")
spark.sql("CREATE TABLE mart_made (mail string) USING parquet")
spark.sql("DESCRIBE TABLE mart_made").collect()
spark.sql("EXPLAIN INSERT INTO mart_made SELECT mail FROM people").collect()
attempt("INSERT", lambda: spark.sql("INSERT INTO mart_made SELECT mail FROM people"))
attempt("CTAS", lambda: spark.sql("CREATE TABLE mart_ctas USING parquet AS SELECT mail FROM people"))
attempt("file", lambda: spark.table("people").write.parquet(f"{here}/mart_file"))
answers["mails"] = spark.table("people").count()
"""
STREAM = """
(here / "in").mkdir()
for number in range(3):
    (here / "in" / f"{number}.json").write_text(json.dumps({"mail": f"m{number}"}))
stream = spark.readStream.schema("mail string").option("maxFilesPerTrigger", 1).json(f"{here}/in")
stream = stream.writeStream.trigger(availableNow=True).option("checkpointLocation", f"{here}/checkpoint")
attempt("stream", lambda: stream.format("parquet").start(f"{here}/mart_stream").awaitTermination())
"""
STREAMS = """
spark.conf.set("spark.sql.parquet.compression.codec", "uncompressed")
spark.conf.set("spark.sql.shuffle.partitions", "1")

def stream(name, frame, start, checkpoint="", **trigger):
    place = f"{here}/checkpoints/{checkpoint or name.replace(' ', '_')}"
    writer = frame.writeStream.option("checkpointLocation", place).trigger(**trigger or {"availableNow": True})
    attempt(name, lambda: start(writer).awaitTermination())

def to(path, kind="parquet"):
    return lambda writer: writer.format(kind).option("path", f"{here}/mart_{path}").start()

source = f"{here}/people"
for place, number in ((source, 1), (source, 2), (f"{here}/later", 3)):
    row = spark.sql(f"SELECT 9L AS id, 'planted-{number}' AS mail, {number}L AS land")
    row.write.mode("append").parquet(place)
read = spark.readStream.schema("id long, mail string, land long").parquet(source)
mail, land = read.select("mail"), read.selectExpr("CAST(land AS string) AS land")
for kind in ("parquet", "json", "text"):
    stream(f"no {kind}", mail, to(f"mail_{kind}", kind))
    stream(kind, land, to(kind, kind))
stream("no table", mail, lambda writer: writer.toTable("mart_mail_table"))
stream("table", land, lambda writer: writer.toTable("mart_table"))
spark.sql("CREATE TABLE lands (id long, mail string, land long) USING parquet LOCATION '" + source + "'")
stream("no table to files", spark.readStream.table("lands").select("mail"), to("mail_read"))
stream("no state", read.dropDuplicates(["mail"]).selectExpr("upper(mail) AS m"), to("mail_state"))
stream("no member", read.selectExpr("named_struct('a', array(mail)) AS m"), to("mail_member", "json"))
known = spark.read.parquet(source).select("land", F.col("mail").alias("other"))
stream("no join", read.select("land").join(known, "land").select("other"), to("mail_join"))
(here / "none").mkdir()
late = spark.readStream.schema("mail string").parquet(f"{here}/none")
stream("no union", land.union(mail).union(late), to("mail_union"))
attempt("no processing time", lambda: to("mail_timed")(mail.writeStream.trigger(processingTime="1 second")
        .option("checkpointLocation", f"{here}/checkpoints/timed")).processAllAvailable())

for name, frame in {"mails": mail, "lands": land}.items():
    stream(f"memory {name}", frame, lambda writer: writer.format("memory").queryName(name).start(), name)
attempt("no from memory", lambda: spark.table("mails").write.parquet(f"{here}/mart_mail_memory"))
attempt("from memory", lambda: spark.table("lands").write.parquet(f"{here}/mart_memory"))
stream("console", mail, lambda writer: writer.format("console").start())
each = lambda path: lambda batch, _: batch.write.mode("append").parquet(f"{here}/mart_{path}")
stream("no batches", mail, lambda writer: writer.foreachBatch(each("mail_batches")).start())
stream("batches", land, lambda writer: writer.foreachBatch(each("batches")).start())
stream("no batch within", read, lambda writer: writer.foreachBatch(
    lambda batch, _: each("mail_within")(batch.select("land", F.upper("mail")), 0)).start())
stream("no stream in a batch", land, lambda writer: writer.foreachBatch(
    lambda *_: to("mail_inner")(mail.writeStream.trigger(availableNow=True)
    .option("checkpointLocation", f"{here}/checkpoints/inner")).awaitTermination()).start())

stream("first start", land, to("again"), "again")
stream("second start", mail.withColumnRenamed("mail", "land"), to("again"), "again")  # with nothing to write
for late in (here / "later").glob("*.parquet"):
    shutil.copy(late, source)
stream("no third start", mail.withColumnRenamed("mail", "land"), to("again"), "again")
stream("fourth start", land, to("again"), "again")
answers["again"] = sorted(row.land for row in spark.read.parquet(f"{here}/mart_again").collect())

rate = spark.readStream.format("rate").load()
stream("unknown source", spark.readStream.schema("mail string").parquet(f"{source}*"), to("unknown"))
stream("unknown function", land, lambda writer: writer.foreach(lambda row: None).start())
stream("unknown sink", rate, lambda writer: writer.format("console").start(), continuous="1 second")
"""
TOPICS = """
place, source = answers.pop("kafka")
server = ("kafka.bootstrap.servers", place)
people = spark.readStream.schema("mail string, land string").json(f"{here}/people")
orders = spark.readStream.format("kafka").option(*server).option("subscribe", source).option(
    "startingOffsets", "earliest").load()

def stream(name, frame, kind="kafka", **options):
    writer = frame.writeStream.format(kind).option(*server).options(**options).trigger(availableNow=True)
    writer = writer.option("checkpointLocation", f"{here}/checkpoints/{name}")
    attempt(name, lambda: writer.start().awaitTermination())

stream("no topic", people.selectExpr("mail AS value"), topic=f"{source}-mart_lands")
stream("topic", people.selectExpr("land AS value"), topic=f"{source}-mart_lands")
stream("no topic in a column", people.selectExpr(f"'{source}-mart_mails' AS topic", "mail AS value"))
stream("unknown topic", people.selectExpr("concat('mart_', land) AS topic", "land AS value"))
stream("no topic to files", orders.selectExpr("CAST(value AS string) AS mail"), "parquet", path=f"{here}/mart_orders")
stream("topic to files", orders.selectExpr("offset"), "parquet", path=f"{here}/mart_offsets")
"""
AS_NAMED = {
    "no": "Headwater's gate refused this write: no contact data: ",
    "unknown": "onError=block says: it is not known whether this write violates a policy: no contact data: ",
}
"""By the first word of an attempt's name, what its error has."""
POLICIES = "- policy: no contact data\n  category: user.contact\n  dataset: '*mart_*'\n"


def gated(
    line: SparkLine,
    here: Path,
    body: str,
    policies: str = POLICIES,
    settings: Mapping[str, str] = MappingProxyType({}),
    rules: str = "",
    **gate: str,
) -> Outcome:
    """Run a job with the gate's settings; its `.` keys are given with `_`."""
    own = [
        ("people", "mail", "user.contact.email"),
        ("people", "id", "user.unique_id"),
        ("in", "mail", "user.contact.email"),
    ]
    lines = [
        f"- {{dataset: 'file {here}/{name}', path: {path}, category: {category}}}"
        for name, path, category in own
    ]
    (here / "rules.yaml").write_text("\n".join([*lines, rules]), "utf-8")
    (here / "policies.yaml").write_text(policies, "utf-8")
    (here / "job.py").write_text(START + ATTEMPTS + body + END, "utf-8")
    settings = {"spark.headwater.python": str(SPARK_4.python), **settings}
    if gate:
        names = {"mode": "spark.headwater.gate", "onError": "spark.headwater.gate.onError"}
        settings |= {names[key]: value for key, value in gate.items()}
        settings |= {f"spark.headwater.gate.{each}": f"{here}/{each}.yaml" for each in ("policies", "rules")}
    environment = {"PYSPARK_PYTHON": str(line.python), "XDG_CACHE_HOME": str(here / "cache")}
    done = python(
        line, here / "job.py", str(here), json.dumps(settings), environment=environment, timeout=800
    )
    assert done.code == 0, done.output
    return done


def answers_of(done: Outcome) -> dict[str, Any]:
    found = next(each for each in done.output.splitlines() if "ANSWERS " in each)
    return dict(json.loads(found.partition("ANSWERS ")[2]))


def files(folder: Path) -> list[str]:
    """What a write left, apart from the folder that a table may have."""
    return [str(each) for each in folder.rglob("*") if each.is_file()]


def assert_as_named(answers: Mapping[str, str]) -> None:
    """What is called "no …" was refused, what is called "unknown …" could not be judged, and all else was written."""
    for name, text in answers.items():
        expected = AS_NAMED.get(name.partition(" ")[0], "")
        assert expected in text and bool(text) == bool(expected), (name, text)


def written(here: Path) -> list[Path]:
    """The files of data that jobs left, apart from what Spark notes of streams."""
    kinds = (".parquet", ".json", ".txt")
    return [each for each in here.rglob("part-*") if each.is_file() and each.suffix in kinds]


@pytest.mark.parametrize("line", EITHER_LINE, ids=str)
def test_what_is_refused_leaves_nothing_and_what_is_allowed_is_written(
    line: SparkLine, tmp_path: Path
) -> None:
    done = gated(line, tmp_path, PEOPLE + MANY, mode="block", onError="allow")

    answers = answers_of(done)
    tables, rows = answers.pop("jdbc")
    assert {name: text for name, text in answers.items() if text and not name.startswith("no ")} == {}
    for name, text in answers.items():
        if name.startswith("no "):
            assert "Headwater's gate refused this write: no contact data: " in text, name
    text = answers["no chain"]
    assert text.startswith("UnsupportedOperationException: ")
    assert f"mail of {tmp_path}/mart_chain holds mail of {tmp_path}/people: identity, by " in text
    left = {
        each.name: files(each) for each in [*tmp_path.glob("mart_*"), *(tmp_path / "house").glob("mart_*")]
    }
    assert {name for name, found in left.items() if found} == {"mart_counts", "mart_rows"}
    assert "it is not known whether this write violates a policy: no contact data" in done.output  # the rows
    assert files(tmp_path / "stage") and (tables, rows) == (["mart_jdbc"], 0)
    contents = b"".join(Path(each).read_bytes() for each in left["mart_counts"] if each.endswith(".parquet"))
    assert b"count" in contents and b"mail" not in contents


@pytest.mark.parametrize("line", (*EITHER_LINE, pytest.param(SPARK_41, marks=pytest.mark.slow)), ids=str)
def test_an_overwrite_that_is_refused_leaves_the_old_data(line: SparkLine, tmp_path: Path) -> None:
    answers = answers_of(gated(line, tmp_path, PEOPLE + OVERWRITES, mode="block", onError="allow"))

    old = answers.pop("old")
    assert len(old) == len(answers) == 29
    for name, text in answers.items():
        refused = name.startswith("no ")
        expected = "Headwater's gate refused this write: no contact data: " if refused else ""
        assert expected in text and bool(text) == refused, (name, text)
        assert old[name] == (["0", "1"] if refused else ["0!", "1!"]), name


def test_an_overwrite_that_nobody_can_judge_in_time_is_refused_before_the_table_is_dropped(
    tmp_path: Path,
) -> None:
    answers = answers_of(gated(SPARK_35, tmp_path, PEOPLE + FROM_THE_JVM, mode="block", onError="allow"))

    assert "it cannot be judged before Spark drops the old table" in answers["jvm"]
    assert answers["old"] == ["0", "1"]


@pytest.mark.parametrize("line", EITHER_LINE, ids=str)
def test_a_warning_names_the_witness_once_and_the_write_goes_on(line: SparkLine, tmp_path: Path) -> None:
    done = gated(line, tmp_path, PEOPLE + ONE_WRITE + STREAM, mode="warn")

    assert answers_of(done) == {"mails": "", "stream": ""}
    assert files(tmp_path / "mart_mails") and len(list(tmp_path.glob("mart_stream/*.parquet"))) == 3
    warned = [each for each in done.output.splitlines() if "Headwater's gate" in each]
    assert len(warned) == 2, done.output  # of the stream's three batches, the first
    for line_of_log, (mart, source) in zip(warned, (("mails", "people"), ("stream", "in")), strict=True):
        expected = (
            f"no contact data: mail of {tmp_path}/mart_{mart} holds mail of {tmp_path}/{source}: identity"
        )
        assert expected in line_of_log


@pytest.mark.parametrize("on_error", [pytest.param("allow", marks=pytest.mark.slow), "block"])
@pytest.mark.parametrize("line", EITHER_LINE, ids=str)
def test_a_gate_that_fails_obeys_on_error_and_says_so(line: SparkLine, on_error: str, tmp_path: Path) -> None:
    done = gated(line, tmp_path, RANGE + STREAM, "- policy: [\n", mode="block", onError=on_error)

    for name in ("range", "stream"):
        text = answers_of(done)[name] + done.output
        assert f"{tmp_path}/policies.yaml" in text and f"onError={on_error}" in text
        assert bool([*tmp_path.glob(f"mart_{name}/*.parquet")]) == (on_error == "allow")
    assert answers_of(done)["SET"] == ""  # it writes nothing, and is not held back


@pytest.mark.parametrize("line", EITHER_LINE, ids=str)
def test_without_its_process_the_gate_holds_back_writes_alone(line: SparkLine, tmp_path: Path) -> None:
    nowhere = {"spark.headwater.python": f"{tmp_path}/no-python"}
    done = gated(line, tmp_path, UNJUDGED, settings=nowhere, mode="block", onError="block")

    answers = answers_of(done)
    assert answers.pop("mails") == 1 and set(answers) == {"INSERT", "CTAS", "file"}
    for name, text in answers.items():
        assert "onError=block says: this write could not be judged: the gate has failed" in text, name
    assert not [each for folder in tmp_path.rglob("mart_*") for each in files(folder)]


@pytest.mark.parametrize("line", EITHER_LINE, ids=str)
def test_a_stream_is_judged_before_it_writes_and_each_time_that_it_is_started(
    line: SparkLine, tmp_path: Path
) -> None:
    answers = answers_of(gated(line, tmp_path, STREAMS, mode="block", onError="block"))

    assert answers.pop("again") == ["1", "2", "3"]
    assert len(answers) == 30
    assert_as_named(answers)
    refused = f"mail of {tmp_path}/mart_mail_parquet holds mail of {tmp_path}/people: identity, by "
    assert answers["no parquet"].startswith("StreamingQueryException: ") and refused in answers["no parquet"]
    assert "it is not known where org.apache.spark." in answers["unknown sink"]
    planted = {each.parent.name for each in written(tmp_path) if b"planted" in each.read_bytes()}
    assert planted == {"people", "later"}
    marts = {each.parent.name for each in written(tmp_path) if each.parent.name.startswith("mart_")}
    kinds = ("parquet", "json", "text", "table", "memory", "batches", "again")
    assert marts == {f"mart_{kind}" for kind in kinds}


@pytest.mark.parametrize("line", EITHER_LINE, ids=str)
def test_a_stream_into_a_topic_is_judged_by_the_topic(
    line: SparkLine, kafka_broker: Broker, tmp_path: Path
) -> None:
    (tmp_path / "people").mkdir()
    (tmp_path / "people" / "1.json").write_text('{"mail": "planted", "land": "x"}', "utf-8")
    topic = kafka_broker.topic()
    kafka_broker.send(topic, [b"planted"])
    done = gated(
        line,
        tmp_path,
        f"answers['kafka'] = {kafka_broker.servers!r}, {topic!r}\n{TOPICS}",
        settings={"spark.jars": jars(line, *KAFKA)},
        rules=f"- {{dataset: 'kafka://{kafka_broker.servers} {topic}', path: value, category: user.contact.email}}",
        mode="block",
        onError="block",
    )

    answers = answers_of(done)
    assert len(answers) == 6
    assert_as_named(answers)
    assert f"value of {topic}-mart_lands holds mail of {tmp_path}/people: identity" in answers["no topic"]
    assert kafka_broker.read(f"{topic}-mart_lands", 1) == [b"x"]
    assert not {f"{topic}-mart_mails", "mart_x"} & kafka_broker.topics()
    left = {each.parent.name for each in written(tmp_path)}
    assert left == {"mart_offsets"}


def test_without_a_gate_nothing_is_added_to_the_session(tmp_path: Path) -> None:
    done = gated(SPARK_4, tmp_path, RANGE)

    assert "EXTENSIONS \n" in done.output
    assert files(tmp_path / "mart_range") and "Headwater's gate" not in done.output
