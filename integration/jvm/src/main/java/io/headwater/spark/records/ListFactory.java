package io.headwater.spark.records;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.apache.parquet.hadoop.ParquetOutputFormat;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.execution.datasources.OutputWriter;
import org.apache.spark.sql.execution.datasources.OutputWriterFactory;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.SerializableConfiguration;
import scala.collection.immutable.Map$;

/** Writers of the last columns of rows by Spark's own writer of Parquet, where some of these are lists. */
final class ListFactory extends OutputWriterFactory {
  private static final long serialVersionUID = 1L;
  private static final long GROUP_BYTES = 8 << 20;

  private final OutputWriterFactory factory;
  private final StructType ids;
  private final int first;
  private final SerializableConfiguration configuration;

  /** The columns {@code ids} stand in the rows from the place {@code first} on; the configuration is not changed. */
  ListFactory(SparkSession spark, Configuration given, StructType ids, int first) throws IOException {
    this.ids = ids;
    this.first = first;
    Job job = Job.getInstance(given);
    job.getConfiguration().setLong(ParquetOutputFormat.BLOCK_SIZE, GROUP_BYTES);
    factory = new ParquetFileFormat().prepareWrite(spark, job, Map$.MODULE$.empty(), ids);
    configuration = new SerializableConfiguration(job.getConfiguration());
  }

  @Override
  public String getFileExtension(TaskAttemptContext context) {
    return factory.getFileExtension(context);
  }

  @Override
  public OutputWriter newInstance(String path, StructType all, TaskAttemptContext context) {
    TaskAttemptContext own =
        new TaskAttemptContextImpl(configuration.value(), context.getTaskAttemptID());
    return new LastColumns(factory.newInstance(path, ids, own), ids.fields(), first);
  }

  /** Writes rows without the columns before a place. */
  private static final class LastColumns extends OutputWriter {
    private final OutputWriter writer;
    private final StructField[] fields;
    private final int first;

    LastColumns(OutputWriter writer, StructField[] fields, int first) {
      this.writer = writer;
      this.fields = fields;
      this.first = first;
    }

    @Override
    public void write(InternalRow row) {
      Object[] values = new Object[fields.length];
      for (int place = 0; place < values.length; place++) {
        values[place] = row.get(first + place, fields[place].dataType());
      }
      writer.write(new GenericInternalRow(values));
    }

    @Override
    public void close() {
      writer.close();
    }

    @Override
    public String path() {
      return writer.path();
    }
  }
}
