package io.headwater.spark.records;

import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.datasources.OutputWriter;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.SerializableConfiguration;
import org.slf4j.LoggerFactory;

/**
 * Writes each row to the job's own file, and its ids to the one beside it. If the latter fails it is removed: a file without ids is
 * known by that.
 */
final class CarriedWriter extends OutputWriter {
  private final OutputWriter own;
  private final UnsafeProjection row;
  private final UnsafeRow prefix;
  private final int width;
  private final SerializableConfiguration configuration;
  private OutputWriter ids;

  /** The writer of ids takes whole rows of so many columns; it is null if there is none. */
  CarriedWriter(
      OutputWriter own,
      StructType schema,
      OutputWriter ids,
      int width,
      SerializableConfiguration configuration) {
    this.own = own;
    this.ids = ids;
    this.configuration = configuration;
    row = UnsafeProjection.create(schema);
    prefix = new UnsafeRow(schema.length());
    this.width = width;
  }

  @Override
  public void write(InternalRow given) {
    own.write(without(given));
    if (ids != null) {
      try {
        ids.write(given);
      } catch (Exception | LinkageError e) {
        abandon(e);
      }
    }
  }

  /**
   * The row without its ids: where it is, if it is laid out as a row of fewer columns begins, which it is as long as both take as many
   * words to say which columns are null.
   */
  private InternalRow without(InternalRow given) {
    if (given instanceof UnsafeRow
        && given.numFields() == width
        && UnsafeRow.calculateBitSetWidthInBytes(width)
            == UnsafeRow.calculateBitSetWidthInBytes(prefix.numFields())) {
      UnsafeRow all = (UnsafeRow) given;
      prefix.pointTo(all.getBaseObject(), all.getBaseOffset(), all.getSizeInBytes());
      return prefix;
    }
    return row.apply(given);
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
