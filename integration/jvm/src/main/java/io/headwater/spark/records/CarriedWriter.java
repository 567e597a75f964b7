package io.headwater.spark.records;

import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.execution.datasources.OutputWriter;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.SerializableConfiguration;
import org.slf4j.LoggerFactory;

/**
 * Writes each row to the job's own file, and its id to the one beside it. If the latter fails it is removed: a file without ids is
 * known by that.
 */
final class CarriedWriter extends OutputWriter {
  private final OutputWriter own;
  private final UnsafeProjection row;
  private final UnsafeProjection id;
  private final SerializableConfiguration configuration;
  private OutputWriter ids;

  /** The file of ids is null if there is none. */
  CarriedWriter(
      OutputWriter own,
      StructType schema,
      OutputWriter ids,
      StructType idSchema,
      SerializableConfiguration configuration) {
    this.own = own;
    this.ids = ids;
    this.configuration = configuration;
    row = UnsafeProjection.create(schema);
    id = UnsafeProjection.create(
        new BoundReference(schema.length(), idSchema.apply(0).dataType(), true));
  }

  @Override
  public void write(InternalRow given) {
    own.write(row.apply(given));
    if (ids != null) {
      try {
        ids.write(id.apply(given));
      } catch (Exception | LinkageError e) {
        abandon(e);
      }
    }
  }

  @Override
  public void close() {
    own.close();
    if (ids != null) {
      try {
        ids.close();
      } catch (Exception | LinkageError e) {
        abandon(e);
      }
    }
  }

  @Override
  public String path() {
    return own.path();
  }

  private void abandon(Throwable problem) {
    LoggerFactory.getLogger("io.headwater.spark").warn("no ids are written beside {}", path(), problem);
    Path file = new Path(ids.path());
    try {
      ids.close();
    } catch (Exception | LinkageError e) {
      problem.addSuppressed(e);
    }
    ids = null;
    try {
      file.getFileSystem(configuration.value()).delete(file, false);
    } catch (java.io.IOException e) {
      LoggerFactory.getLogger("io.headwater.spark").warn("{} has not all ids, and stays there", file, e);
    }
  }
}
