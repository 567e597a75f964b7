"""A table of profiles, and from it a directory of people by letter: a plain PySpark job in SQL.

A profile joins a user's texts to where the user says to live; the directory hides the user's number behind a hash.
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
