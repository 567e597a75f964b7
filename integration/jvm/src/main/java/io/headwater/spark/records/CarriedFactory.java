package io.headwater.spark.records;

import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.spark.sql.execution.datasources.OutputWriter;
import org.apache.spark.sql.execution.datasources.OutputWriterFactory;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.SerializableConfiguration;
import org.slf4j.LoggerFactory;

/**
 * Writers in the tasks. The file of ids lies in the folder of the attempt, under a name that no reader of Spark looks at, so that
 * it is committed, or not, with the attempt.
 */
final class CarriedFactory extends OutputWriterFactory {
  private static final long serialVersionUID = 1L;
  private static final String BEFORE = "_headwater-";

  private final OutputWriterFactory factory;
  private final StructType schema;
  private final OutputWriterFactory ids;
  private final SerializableConfiguration configuration;

  /** The writers of {@code ids} take whole rows; without them, the job's own files are all that is written. */
  CarriedFactory(
      OutputWriterFactory factory,
      StructType schema,
      OutputWriterFactory ids,
      SerializableConfiguration configuration) {
    this.factory = factory;
    this.schema = schema;
    this.ids = ids;
    this.configuration = configuration;
  }

  @Override
  public String getFileExtension(TaskAttemptContext context) {
    return factory.getFileExtension(context);
  }

  @Override
  public OutputWriter newInstance(String path, StructType all, TaskAttemptContext context) {
    OutputWriter own = factory.newInstance(path, schema, context);
    return new CarriedWriter(own, schema, beside(path, all, context), all.length(), configuration);
  }

  private OutputWriter beside(String path, StructType all, TaskAttemptContext context) {
    if (ids == null) {
      return null;
    }
    Path own = new Path(path);
    String name = new Path(own.getParent(), BEFORE + own.getName()).toString();
    try {
      return ids.newInstance(name, all, context);
    } catch (Throwable e) { // NOSONAR: the job's own file is written without
      LoggerFactory.getLogger("io.headwater.spark").warn("no ids are written beside {}", path, e);
      return null;
    }
  }
}
