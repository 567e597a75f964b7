package io.headwater.spark.records;

import java.lang.reflect.Method;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.execution.datasources.OutputWriter;
import org.apache.spark.sql.types.StructType;
import scala.collection.immutable.$colon$colon;
import scala.collection.immutable.List;
import scala.collection.immutable.List$;

/** Writes the last columns of rows by another writer. */
final class LastColumns extends OutputWriter {
  private final OutputWriter writer;
  private final UnsafeProjection columns;

  /** The columns of this schema stand in the rows from the place {@code first} on. */
  LastColumns(OutputWriter writer, StructType schema, int first) {
    this.writer = writer;
    List<Expression> columns = List$.MODULE$.empty();
    for (int place = schema.length() - 1; place >= 0; place--) {
      columns =
          new $colon$colon<>(new BoundReference(first + place, schema.apply(place).dataType(), true), columns);
    }
    this.columns = projection(columns);
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

  @Override
  public void write(InternalRow row) {
    writer.write(columns.apply(row));
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
