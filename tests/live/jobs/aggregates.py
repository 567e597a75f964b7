"""Runs a program in Java with aggregators.

aggregates.py PEOPLE OUT
"""

import sys

from pyspark.sql import SparkSession

if __name__ == "__main__":
    spark = SparkSession.builder.appName("Aggregates").getOrCreate()
    loader = spark._jvm.java.lang.Thread.currentThread().getContextClassLoader()
    run = next(each for each in loader.loadClass("Aggregates").getMethods() if each.getName() == "run")
    arguments = spark.sparkContext._gateway.new_array(spark._jvm.java.lang.Object, 3)
    arguments[0], arguments[1], arguments[2] = spark._jsparkSession, *sys.argv[1:]
    run.invoke(None, arguments)
    spark.stop()
