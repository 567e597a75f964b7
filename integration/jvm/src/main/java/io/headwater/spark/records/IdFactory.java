package io.headwater.spark.records;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.datasources.OutputWriterFactory;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.SerializableConfiguration;

/** Chooses the writers of ids. */
final class IdFactory {
  private IdFactory() {}

  /** Writers of the columns {@code ids}, which stand in the rows from the place {@code first} on, as Parquet. */
  static OutputWriterFactory of(SparkSession spark, Configuration configuration, StructType ids, int first)
      throws IOException {
    for (StructField each : ids.fields()) {
      if (each.dataType() instanceof ArrayType) {
        return new ListFactory(spark, configuration, ids, first);
      }
    }
    return new NumberFactory(ids, first, new SerializableConfiguration(configuration));
  }
}
