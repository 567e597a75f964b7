package io.headwater.spark.plan;

import io.headwater.spark.reflection.Mirror;
import java.util.List;

/**
 * The SQL text that an execution was asked for in: that of the plan's root, or of the query that a command writes or
 * that is shown. A plan that goes on from a statement's result in the DataFrame API has none.
 */
public final class SqlText {
  private SqlText() {}

  public static String of(Object plan) {
    Object node = plan;
    while (node != null) {
      String text = Mirror.text(node, "origin", "sqlText");
      if (text != null) {
        return text;
      }
      node = below(node);
    }
    return null;
  }

  private static Object below(Object node) {
    Object query = Mirror.get(node, "query");
    if (query != null) {
      return query;
    }
    String name = Mirror.simpleName(node.getClass());
    boolean passes = name.equals("GlobalLimit") || name.equals("LocalLimit") || isDisplay(node, name);
    return passes ? Mirror.get(node, "child") : null;
  }

  /** The projection that {@code show} lays over a query to print its values. */
  private static boolean isDisplay(Object node, String name) {
    if (!name.equals("Project")) {
      return false;
    }
    List<Object> columns = Mirror.list(Mirror.get(node, "projectList"));
    for (Object column : columns) {
      Object shown = Mirror.get(column, "child");
      if (shown == null || !Mirror.simpleName(shown.getClass()).equals("ToPrettyString")) {
        return false;
      }
    }
    return !columns.isEmpty();
  }
}
