"""Channels through models: what they learn of values, keep of them in columns, closures and files, and give back."""

from __future__ import annotations

from pyspark.ml import Pipeline, PipelineModel
from pyspark.ml.clustering import LDA
from pyspark.ml.feature import (
    BucketedRandomProjectionLSH,
    CountVectorizer,
    CountVectorizerModel,
    IndexToString,
    NGram,
    OneHotEncoder,
    RegexTokenizer,
    SQLTransformer,
    StopWordsRemover,
    StringIndexer,
    StringIndexerModel,
    Tokenizer,
    VectorAssembler,
    Word2Vec,
    Word2VecModel,
)
from pyspark.ml.fpm import FPGrowth, FPGrowthModel, PrefixSpan
from pyspark.ml.functions import array_to_vector, vector_to_array
from pyspark.ml.linalg import Vectors
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from oracle.channels.program import Program, as_text

INDEXER = StringIndexer(inputCol="a", outputCol="n", handleInvalid="keep")
SLOTS = (
    INDEXER,
    OneHotEncoder(inputCols=["n"], outputCols=["o"], dropLast=False),
    VectorAssembler(inputCols=["o"], outputCol="v"),
)
COUNTER = CountVectorizer(inputCol="w", outputCol="features")
HASHES = BucketedRandomProjectionLSH(inputCol="v", outputCol="h", bucketLength=2.0, numHashTables=2, seed=1)


def _rows(program: Program) -> DataFrame:
    return program.frame().dropna()


def _words(program: Program) -> DataFrame:
    return Tokenizer(inputCol="a", outputCol="w").transform(_rows(program))


def _sets(program: Program, *more: Column) -> DataFrame:
    return _rows(program).select("id", F.array_distinct(F.array("a", "b", *more)).alias("items"))


def _points(program: Program) -> DataFrame:
    return _rows(program).withColumn("v", array_to_vector(F.array(F.col("id").cast("double"))))


def _collected(program: Program, texts: list[str]) -> DataFrame:
    return program.given([(n, each, "x") for n, each in enumerate(texts)])


def _chosen(program: Program, labels: list[str]) -> DataFrame:
    """Labels that indices of another frame choose."""
    numbers = program.spark.range(len(labels)).select(F.col("id").cast("double").alias("n"))
    back = IndexToString(inputCol="n", outputCol="text", labels=labels)
    return as_text(back.transform(numbers), "text")


def labels_back(program: Program) -> DataFrame:
    """The labels stand in the column's metadata."""
    rows = _rows(program)
    indexed = INDEXER.fit(rows).transform(rows).drop("a")
    return IndexToString(inputCol="n", outputCol="a").transform(indexed).select("id", "a", "b")


def labels_of_others(program: Program) -> DataFrame:
    return _chosen(program, INDEXER.fit(_rows(program)).labels)


def labels_collected(program: Program) -> DataFrame:
    return _collected(program, INDEXER.fit(_rows(program)).labels)


def labels_kept(program: Program) -> DataFrame:
    """The files of a model."""
    path = program.path()
    INDEXER.fit(_rows(program)).save(path)
    return as_text(program.spark.read.parquet(f"{path}/data"), F.to_json("labelsArray"))


def labels_loaded(program: Program) -> DataFrame:
    path = program.path()
    INDEXER.fit(_rows(program)).save(path)
    return _chosen(program, StringIndexerModel.load(path).labels)


def index(program: Program) -> DataFrame:
    rows = _rows(program)
    indexed = INDEXER.fit(rows).transform(rows)
    return indexed.select("id", F.col("n").cast("string").alias("a"), "b")


def words(program: Program) -> DataFrame:
    rows = RegexTokenizer(inputCol="a", outputCol="w").transform(_rows(program))
    rows = StopWordsRemover(inputCol="w", outputCol="s").transform(rows)
    rows = NGram(inputCol="s", outputCol="g", n=1).transform(rows)
    return rows.select("id", F.concat_ws(" ", "g").alias("a"), "b")


def vocabulary(program: Program) -> DataFrame:
    return _collected(program, COUNTER.fit(_words(program)).vocabulary)


def vocabulary_kept(program: Program) -> DataFrame:
    path = program.path()
    COUNTER.fit(_words(program)).save(path)
    return _collected(program, CountVectorizerModel.load(path).vocabulary)


def _word_vectors(program: Program) -> Word2VecModel:
    learner = Word2Vec(inputCol="w", outputCol="v", vectorSize=2, minCount=0, maxIter=1)
    return learner.fit(_words(program))


def word_vectors(program: Program) -> DataFrame:
    return as_text(_word_vectors(program).getVectors(), "word")


def word_vectors_kept(program: Program) -> DataFrame:
    path = program.path()
    _word_vectors(program).save(path)
    return as_text(Word2VecModel.load(path).getVectors(), "word")


def synonyms(program: Program) -> DataFrame:
    return as_text(_word_vectors(program).findSynonyms(Vectors.dense([0.1, 0.1]), 20), "word")


def statement(program: Program) -> DataFrame:
    return SQLTransformer(statement="SELECT id, b AS a, a AS b FROM __THIS__").transform(program.frame())


def _frequent(sets: DataFrame) -> FPGrowthModel:
    return FPGrowth(minSupport=0.01, minConfidence=0.01).fit(sets)


def frequent_sets(program: Program) -> DataFrame:
    return as_text(_frequent(_sets(program)).freqItemsets, F.concat_ws(",", "items"))


def rules(program: Program) -> DataFrame:
    both = F.concat_ws(",", "antecedent", "consequent")
    return as_text(_frequent(_sets(program)).associationRules, both)


def predicted_sets(program: Program) -> DataFrame:
    """The prediction's items are those of the frame that was learnt from."""
    asked = program.spark.range(3).select(F.array(F.lit("both")).alias("items"))
    found = _frequent(_sets(program, F.lit("both"))).transform(asked)
    return as_text(found, F.concat_ws(",", "prediction"))


def sets_kept(program: Program) -> DataFrame:
    path = program.path()
    _frequent(_sets(program)).save(path)
    return as_text(FPGrowthModel.load(path).freqItemsets, F.concat_ws(",", "items"))


def patterns(program: Program) -> DataFrame:
    rows = _rows(program).select(F.array(F.array("a"), F.array("b")).alias("sequence"))
    found = PrefixSpan(minSupport=0.01, maxPatternLength=2).findFrequentSequentialPatterns(rows)
    return as_text(found, F.to_json("sequence"))


def topics(program: Program) -> DataFrame:
    rows = _words(program)
    counted = COUNTER.fit(rows)
    model = LDA(k=2, maxIter=1).fit(counted.transform(rows))
    terms = counted.vocabulary
    names = F.udf(lambda found: " ".join(terms[each] for each in found), "string")
    return as_text(model.describeTopics(), names("termIndices"))


def names_of_slots(program: Program) -> DataFrame:
    """Names of a vector's slots are labels, and stand in its metadata."""
    rows = _rows(program)
    made = Pipeline(stages=list(SLOTS)).fit(rows).transform(rows)
    return _collected(program, [str(made.schema["v"].metadata)])


def slots_in_files(program: Program) -> DataFrame:
    rows = _rows(program)
    path = program.path()
    INDEXER.fit(rows).transform(rows).select("id", "n").write.parquet(path)
    return _collected(program, [str(program.spark.read.parquet(path).schema["n"].metadata)])


def pipeline_kept(program: Program) -> DataFrame:
    path = program.path()
    Pipeline(stages=list(SLOTS)).fit(_rows(program)).save(path)
    made = PipelineModel.load(path).transform(_rows(program))
    return made.select("id", vector_to_array("v").cast("string").alias("a"), "b")


def near(program: Program) -> DataFrame:
    """What a join by hashes of vectors pairs."""
    left, right = _points(program), _points(program)
    found = HASHES.fit(left).approxSimilarityJoin(left, right, 0.5)
    return found.select(F.col("datasetA.id"), F.col("datasetA.a"), F.col("datasetB.b")).toDF("id", "a", "b")


def neighbours(program: Program) -> DataFrame:
    rows = _points(program)
    return HASHES.fit(rows).approxNearestNeighbors(rows, Vectors.dense([1.0]), 5).select("id", "a", "b")


def crosstab(program: Program) -> DataFrame:
    """Values become names of columns."""
    return as_text(_rows(program).stat.crosstab("b", "a"), F.to_json(F.struct("*")))
