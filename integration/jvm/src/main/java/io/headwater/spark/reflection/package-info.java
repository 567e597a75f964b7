/** The one place that calls Spark by name, where versions of Spark and of Scala differ. */
package io.headwater.spark.reflection;
