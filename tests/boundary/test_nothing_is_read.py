"""While a program is planned no records are read and nothing is written, whichever of PySpark's methods it calls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kit import planned_alone
from kit.spark_lines import EITHER_LINE, SparkLine, run_beside

pytestmark = pytest.mark.spark

WRITTEN = [
    'people.select("mail").write.parquet(f"{out}/a")',
    'people.freqItems(["city"]).write.parquet(f"{out}/a")',
    'people.describe("age").write.parquet(f"{out}/a")',
    'people.randomSplit([0.5, 0.5])[0].orderBy("age").limit(3).write.parquet(f"{out}/a")',
    'people.mapInPandas(lambda each: each, people.schema).write.parquet(f"{out}/a")',
    'people.writeTo("made").create()',
    'people.write.mode("overwrite").saveAsTable("t"); spark.table("t").write.parquet(f"{out}/a")',
    'seen = Observation("s"); people.observe(seen, F.max("mail")).write.parquet(f"{out}/a"); print(seen.get)',
    'people.cache().count(); people.checkpoint().write.parquet(f"{out}/a")',
    'spark.createDataFrame(people.rdd, people.schema).write.parquet(f"{out}/a")',
    'spark.createDataFrame(spark.sparkContext.parallelize([(1, "a")])).write.parquet(f"{out}/a")',
    """spark.read.json(spark.sparkContext.parallelize(['{"a": 1}'])).write.parquet(f"{out}/a")""",
    'from pyspark.ml.stat import Summarizer; people.select(Summarizer.mean(people.features)).write.parquet(f"{out}/a")',
    'people.write.jdbc("jdbc:none", "t")',
]
"""They are planned as they stand."""
NAMED = {
    'people.crosstab("city", "age").write.parquet(f"{out}/a")': "crosstab()",
    'people.rdd.map(lambda row: row).toDF().write.parquet(f"{out}/a")': "of an RDD",
    'people.rdd.toDF(["a"], sampleRatio=0.5).write.parquet(f"{out}/a")': "of an RDD",
    'spark.read.json(people.rdd.map(lambda row: row.mail)).write.parquet(f"{out}/a")': "json() of an RDD",
    'people.rdd.saveAsTextFile(f"{out}/a")': "saveAsTextFile()",
    'spark.sparkContext.parallelize([1]).saveAsTextFile(f"{out}/a")': "saveAsTextFile()",
    'people.write.format("noop").mode("overwrite").save()': "written as noop",
    'people.toPandas().to_csv(f"{out}/a")': "to_csv() takes what toPandas() gives",
    "print(*people.toLocalIterator())": "toLocalIterator()",
    'from pyspark.ml.stat import Correlation; Correlation.corr(people, "features").head()': "Correlation.corr()",
    """from pyspark.ml.evaluation import RegressionEvaluator
RegressionEvaluator(labelCol="label", predictionCol="label").evaluate(people)""": "evaluate()",
    """from pyspark.ml.feature import StringIndexer
StringIndexer(inputCol="city", outputCol="c").write().overwrite().save(f"{out}/model")""": "save()",
    """from pyspark.mllib.clustering import KMeans
KMeans.train(people.rdd.map(lambda row: [row.age]), 2)""": "over an RDD",
}
"""What planning does not know, and says."""
LEARNED = {
    """from pyspark.ml import Pipeline
from pyspark.ml.feature import StringIndexer, VectorAssembler
from pyspark.ml.classification import LogisticRegression
stages = [StringIndexer(inputCol="city", outputCol="c"), VectorAssembler(inputCols=["age", "c"], outputCol="f")]
model = Pipeline(stages=[*stages, LogisticRegression(featuresCol="f")]).fit(people)
model.transform(people).write.parquet(f"{out}/a")
model.write().overwrite().save(f"{out}/model")""": ["Pipeline.fit() reads data", "save()"],
    """from pyspark.ml.tuning import CrossValidator, ParamGridBuilder
from pyspark.ml.regression import LinearRegression
from pyspark.ml.evaluation import RegressionEvaluator
line = LinearRegression()
grid = ParamGridBuilder().addGrid(line.regParam, [0.1, 0.2]).build()
CrossValidator(estimator=line, estimatorParamMaps=grid, evaluator=RegressionEvaluator(), numFolds=2).fit(
    people).transform(people).write.parquet(f"{out}/a")""": ["CrossValidator.fit() reads data"],
    """from pyspark.ml.recommendation import ALS
ratings = people.selectExpr("int(age) AS user", "int(label) AS item", "label")
als = ALS(maxIter=2, userCol="user", itemCol="item", ratingCol="label")
als.fit(ratings).transform(ratings).write.parquet(f"{out}/a")""": ["ALS.fit() reads data"],
}
"""Models are fitted to rows that are made up: what they give is planned, and what they learn is named."""


@pytest.mark.parametrize("line", EITHER_LINE, ids=str)
def test_planning_reads_no_records_and_writes_nothing(line: SparkLine, tmp_path: Path) -> None:
    cases, answers = tmp_path / "cases.json", tmp_path / "answers.json"
    cases.write_text(json.dumps([*WRITTEN, *NAMED, *LEARNED]), "utf-8")
    done = run_beside(line, tmp_path, planned_alone.__file__, str(tmp_path), str(cases), str(answers))
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(answers.read_text("utf-8"))
    assert {case: each["files"] for case, each in found.items() if each["files"] != ["model/old"]} == {}
    assert {case: found[case]["stops"] for case in WRITTEN if found[case]["stops"]} == {}
    assert {case for case in [*WRITTEN, *LEARNED] if not found[case]["writes"]} == set()
    for case, reason in NAMED.items():
        assert [each for each in found[case]["stops"] if reason in each] == found[case]["stops"] != [], case
    for case, reasons in LEARNED.items():
        stops = found[case]["stops"]
        assert len(stops) == len(reasons), (case, stops)
        assert all(reason in each for reason, each in zip(reasons, stops, strict=True)), (case, stops)
