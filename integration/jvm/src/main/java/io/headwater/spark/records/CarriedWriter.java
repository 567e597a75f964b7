package io.headwater.spark.records;

import java.lang.reflect.Method;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.datasources.OutputWriter;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.SerializableConfiguration;
import org.slf4j.LoggerFactory;
import scala.collection.immutable.$colon$colon;
import scala.collection.immutable.List;
import scala.collection.immutable.List$;

/**
 * Writes each row to the job's own file, and its ids to the one beside it. If the latter fails it is removed: a file without ids is
 * known by that.
 */
final class CarriedWriter extends OutputWriter {
  private final OutputWriter own;
  private final UnsafeProjection row;
  private final UnsafeRow prefix;
  private final int width;
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
    prefix = new UnsafeRow(schema.length());
    width = schema.length() + idSchema.length();
    List<Expression> columns = List$.MODULE$.empty();
    for (int place = idSchema.length() - 1; place >= 0; place--) {
      columns =
          new $colon$colon<>(
              new BoundReference(schema.length() + place, idSchema.apply(place).dataType(), true), columns);
    }
    id = projection(columns);
  }

  @Override
  public void write(InternalRow given) {
    own.write(without(given));
    if (ids != null) {
      try {
        ids.write(id.apply(given));
      } catch (Exception | LinkageError e) {
        abandon(e);
      }
    }
  }

  /** The sequence that the method takes is another class on Scala 2.12 and 2.13. */
  private static UnsafeProjection projection(List<Expression> columns) {
    for (Method method : UnsafeProjection.class.getMethods()) {
      Class<?>[] types = method.getParameterTypes();
      if (method.getName().equals("create") && types.length == 1 && types[0].isInstance(columns)) {
        try {
          return (UnsafeProjection) method.invoke(null, columns);
        } catch (ReflectiveOperationException e) {
          throw new IllegalStateException(e);
        }
      }
    }
    throw new IllegalStateException("no projection of columns");
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
