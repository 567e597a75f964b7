package io.headwater.spark.records;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.execution.SparkPlan;
import scala.runtime.BoxedUnit;

/** The operators that a plan is run by, from the top; asked for each from outside they take longer than a small write. */
public final class Operators {
  private static final String END = "Exec";
  private static final List<String> IN_ORDER = Arrays.asList("Project", "Filter");

  private final List<String> titles = new ArrayList<>();

  /** Projections and filters are left out: they change no order of rows. */
  public Operators(SparkPlan plan) {
    plan.foreach(
        node -> {
          String name = node.getClass().getSimpleName();
          String title = name.endsWith(END) ? name.substring(0, name.length() - END.length()) : name;
          if (!IN_ORDER.contains(title)) {
            titles.add((title + " " + side(node)).trim());
          }
          return BoxedUnit.UNIT;
        });
  }

  /** Which side of a join is built a table of; empty for other operators. */
  private static String side(Object node) {
    try {
      Method side = node.getClass().getMethod("buildSide");
      return String.valueOf(side.invoke(node));
    } catch (ReflectiveOperationException e) {
      return "";
    }
  }

  /** Each on a line. */
  @Override
  public String toString() {
    return String.join("\n", titles);
  }
}
