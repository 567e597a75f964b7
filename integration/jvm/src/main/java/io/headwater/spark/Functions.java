package io.headwater.spark;

import java.util.Locale;
import org.apache.spark.sql.catalyst.expressions.Expression;

/** The name under which a program calls an expression, where its class does not say it. */
final class Functions {
  private Functions() {}

  /** Null where the name is the class's own. */
  static String nameOf(Expression expression, Shape shape) {
    switch (shape.name) {
      case "ScalaUDF":
        return Mirror.text(expression, "udfName");
      case "ApplyFunctionExpression":
        return Mirror.text(expression, "function", "name");
      case "V2Aggregator":
        return Mirror.text(expression, "aggrFunc", "name");
      case "PythonUDF":
      case "PythonUDAF":
      case "ScalaAggregator":
        return Mirror.text(expression, "name");
      default:
        String pretty = expression.prettyName();
        return pretty == null || pretty.equals(shape.name.toLowerCase(Locale.ROOT)) ? null : pretty;
    }
  }
}
