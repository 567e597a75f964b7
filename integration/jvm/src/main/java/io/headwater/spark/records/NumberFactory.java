package io.headwater.spark.records;

import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.spark.sql.execution.datasources.OutputWriter;
import org.apache.spark.sql.execution.datasources.OutputWriterFactory;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.SerializableConfiguration;

/** Writers of the last columns of rows, where these are whole numbers. */
final class NumberFactory extends OutputWriterFactory {
  private static final long serialVersionUID = 1L;

  private final StructType ids;
  private final int first;
  private final SerializableConfiguration configuration;

  /** The columns {@code ids} stand in the rows from the place {@code first} on. */
  NumberFactory(StructType ids, int first, SerializableConfiguration configuration) {
    this.ids = ids;
    this.first = first;
    this.configuration = configuration;
  }

  @Override
  public String getFileExtension(TaskAttemptContext context) {
    return ".parquet";
  }

  @Override
  public OutputWriter newInstance(String path, StructType all, TaskAttemptContext context) {
    return new NumberFile(path, ids, first, configuration.value());
  }
}
