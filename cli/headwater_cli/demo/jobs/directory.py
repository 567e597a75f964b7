"""A plain PySpark job in SQL: a table of profiles, and a directory of people by letter derived from it.

A profile joins a user's texts with the user's location; the directory contains user ids as hashes only.
"""

import sys

from pyspark.sql import SparkSession

tweets, by_user, warehouse, target = sys.argv[1:]
spark = SparkSession.builder.appName("directory").config("spark.sql.warehouse.dir", warehouse).getOrCreate()
spark.read.json(tweets).createOrReplaceTempView("tweets")
spark.read.parquet(by_user).createOrReplaceTempView("by_user")

spark.sql("""
    CREATE TABLE profiles USING parquet AS
    WITH homes AS (SELECT DISTINCT user.id_str, user.location FROM tweets)
    SELECT by_user.user AS person, homes.location AS home, by_user.tweets.text AS texts
    FROM by_user LEFT JOIN homes ON by_user.user.id_str = homes.id_str
""")

directory = spark.sql("""
    SELECT left(person.name, 1) AS letter,
           count(*) AS size,
           collect_list(named_struct(
               'key', sha2(person.id_str, 256), 'name', person.name, 'home', home, 'posts', size(texts)
           )) AS people
    FROM profiles WHERE size(texts) > 1 GROUP BY left(person.name, 1)
""")
directory.write.mode("overwrite").json(target)
spark.stop()
