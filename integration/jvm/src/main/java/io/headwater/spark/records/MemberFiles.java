package io.headwater.spark.records;

import java.io.IOException;
import java.io.Serializable;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.datasources.OutputWriter;
import org.apache.spark.sql.execution.datasources.OutputWriterFactory;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.CollectionAccumulator;
import org.apache.spark.util.TaskCompletionListener;
import org.slf4j.LoggerFactory;

/**
 * Keeps the members of groups: each row of whole numbers, or lists of them, goes to a file of the task that evaluates it.
 *
 * <p>A file counts if its name is in the accumulator, as those of attempts are that have ended well. Several attempts may, of one
 * partition: their rows are the same.
 */
public final class MemberFiles
    implements ToLongFunction<InternalRow>, Predicate<InternalRow>, Serializable {
  private static final long serialVersionUID = 1L;
  private static final String FAILED = "";

  private final String folder;
  private final StructType schema;
  private final OutputWriterFactory files;
  private final CollectionAccumulator<String> names;
  private transient OutputWriter file;
  private transient boolean ended;

  /**
   * The rows have this schema, as JSON. The accumulator has been registered; an empty name in it says that some rows are in no file.
   */
  public MemberFiles(
      SparkSession spark,
      String folder,
      String schema,
      Configuration configuration,
      CollectionAccumulator<String> names)
      throws IOException {
    this.folder = folder;
    this.schema = (StructType) DataType.fromJson(schema);
    files = IdFactory.of(spark, configuration, this.schema, 0);
    this.names = names;
  }

  /** Keeps the row, and gives its first value, which is no NULL. */
  @Override
  public synchronized long applyAsLong(InternalRow row) {
    if (!ended) {
      try {
        if (file == null) {
          begin(TaskContext.get());
        }
        file.write(row);
      } catch (Exception | LinkageError e) {
        fail(e);
      }
    }
    return row.getLong(0);
  }

  /** Keeps the row, and lets it through. */
  @Override
  public boolean test(InternalRow row) {
    applyAsLong(row);
    return true;
  }

  private void begin(TaskContext context) {
    if (context == null) {
      throw new IllegalStateException("a row is evaluated outside of a task");
    }
    String name =
        context.stageId() + "-" + context.partitionId() + "-" + context.taskAttemptId() + ".parquet";
    TaskAttemptContext attempt = new TaskAttemptContextImpl(new Configuration(false), new TaskAttemptID());
    file = files.newInstance(new Path(folder, name).toString(), schema, attempt);
    TaskCompletionListener listener = given -> end(name);
    context.addTaskCompletionListener(listener);
  }

  private synchronized void end(String name) {
    if (!ended) {
      ended = true;
      try {
        file.close();
        names.add(name);
      } catch (Exception | LinkageError e) {
        fail(e);
      }
    }
  }

  private void fail(Throwable problem) {
    LoggerFactory.getLogger("io.headwater.spark").warn("members of groups are not all kept", problem);
    ended = true;
    names.add(FAILED);
    try {
      if (file != null) {
        file.close();
      }
    } catch (Exception | LinkageError e) {
      problem.addSuppressed(e);
    }
  }

  /** What Spark shows of it in a plan. */
  @Override
  public String toString() {
    return "members of groups";
  }
}
