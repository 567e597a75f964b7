"""SQL scripts whose conditions, loops and variables read people, and whose statements write others' rows.

scripts.py FOLDER
"""

import sys

from pyspark.sql import SparkSession

WRITE = "INSERT OVERWRITE DIRECTORY '{folder}/{name}' USING json"
FLU = "(SELECT max(reason) = 'flu' FROM people)"

SCRIPTS = {
    "before": "BEGIN {write} SELECT z FROM others; SELECT 1 AS one; END",
    "if": f"BEGIN IF {FLU} THEN {{write}} SELECT z FROM others; END IF; END",
    "else": f"BEGIN IF {FLU} THEN SELECT 1; ELSE {{write}} SELECT z FROM others; END IF; END",
    "case": f"BEGIN CASE WHEN {FLU} THEN {{write}} SELECT z FROM others; END CASE; END",
    "value": """BEGIN CASE (SELECT max(reason) FROM people) WHEN 'flu' THEN {write} SELECT z FROM others;
        ELSE SELECT 1; END CASE; END""",
    "while": """BEGIN DECLARE i INT DEFAULT 0;
        WHILE i < (SELECT count(reason) FROM people) DO {write} SELECT z FROM others; SET i = i + 1; END WHILE; END""",
    "repeat": """BEGIN DECLARE i INT DEFAULT 0;
        REPEAT {write} SELECT z FROM others; SET i = i + 1;
        UNTIL i >= (SELECT count(reason) FROM people) END REPEAT; END""",
    "for": "BEGIN FOR r AS SELECT id FROM people WHERE reason = 'flu' DO {write} SELECT z FROM others; END FOR; END",
    "left": f"BEGIN a: BEGIN IF {FLU} THEN SELECT 1; ELSE LEAVE a; END IF; {{write}} SELECT z FROM others; END; END",
    "variable": """BEGIN DECLARE v STRING; SET v = (SELECT max(reason) FROM people);
        IF v = 'flu' THEN {write} SELECT z FROM others; END IF; END""",
    "chosen": f"""BEGIN DECLARE v INT DEFAULT 0; IF {FLU} THEN SET v = 1; END IF;
        {{write}} SELECT z, v AS w FROM others; END""",
    "immediate": f'BEGIN IF {FLU} THEN EXECUTE IMMEDIATE "{{write}} SELECT z FROM others"; END IF; END',
}
"""Each writes the output of its name."""


def main(folder: str) -> None:
    spark = SparkSession.builder.appName("Scripts").getOrCreate()
    spark.conf.set("spark.sql.scripting.enabled", "true")
    for name in ("people", "others"):
        spark.read.json(f"{folder}/{name}.json").createOrReplaceTempView(name)
    written = {
        name: WRITE.format(folder=folder, name=name) for name in (*SCRIPTS, "used", "default", "after")
    }
    spark.sql("DECLARE VARIABLE one STRING DEFAULT 'x'")
    spark.sql("SET VAR one = (SELECT max(reason) FROM people)")
    spark.sql(f'EXECUTE IMMEDIATE "{written["used"]} SELECT ? AS w, z FROM others" USING one')
    spark.sql("DECLARE VARIABLE other STRING DEFAULT one")
    spark.sql(f"{written['default']} SELECT other AS w, z FROM others")
    for name, script in SCRIPTS.items():
        spark.sql(script.format(write=written[name]))
    spark.table("others").count()
    spark.sql(f"{written['after']} SELECT z FROM others")


main(*sys.argv[1:])
