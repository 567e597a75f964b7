package io.headwater.spark;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The tables of a query that a database answers, as far as Spark's own parser understands that database's SQL. Of a
 * query with names of its own (WITH) nothing is said: they could not be told from tables.
 */
final class JdbcQuery {
  /** Characters of a query that are told. */
  static final int MAX_TEXT = 65_536;

  private static final int MAX_TABLES = 100;

  private JdbcQuery() {}

  /**
   * Adds {@code "tables"} to a JDBC source that is a query, and {@code "plain": true} where it only selects columns of
   * one table under their names.
   */
  static void describe(Object parameters, Json out) {
    Object query = Mirror.lookup(parameters, "query");
    Object table = Mirror.lookup(parameters, "dbtable");
    if (query == null && (table == null || !table.toString().trim().startsWith("("))) {
      return;
    }
    int before = out.size();
    try {
      describe(Mirror.parsed(query == null ? "SELECT * FROM " + table : query.toString()), query == null, out);
    } catch (Exception | LinkageError | StackOverflowError e) {
      out.truncate(before);
    }
  }

  private static void describe(Object plan, boolean wrapped, Json out) {
    Set<String> tables = new LinkedHashSet<>();
    if (!collect(plan, tables) || tables.size() > MAX_TABLES) {
      return;
    }
    Leaves.texts("tables", new ArrayList<>(tables), out);
    out.field("plain", isPlain(wrapped ? unwrapped(plan) : plan));
  }

  /** Whether all leaves are tables; a name within quotes is quoted again, so that its dots stay its own. */
  private static boolean collect(Object plan, Set<String> tables) {
    if (Mirror.simpleName(plan.getClass()).equals("UnresolvedWith")) {
      return false;
    }
    if (Mirror.simpleName(plan.getClass()).equals("UnresolvedRelation")) {
      tables.add(Mirror.texts(Mirror.get(plan, "multipartIdentifier")).stream()
          .map(part -> part.matches("\\w+") ? part : "\"" + part.replace("\"", "\"\"") + "\"")
          .collect(Collectors.joining(".")));
    }
    boolean whole = true;
    for (String below : new String[] {"children", "subqueries"}) {
      for (Object each : Mirror.list(Mirror.get(plan, below))) {
        whole &= collect(each, tables);
      }
    }
    return whole;
  }

  private static boolean isPlain(Object plan) {
    Object child = Mirror.get(plan, "child");
    if (!Mirror.simpleName(plan.getClass()).equals("Project") || child == null
        || !Mirror.simpleName(child.getClass()).equals("UnresolvedRelation")) {
      return false;
    }
    return Mirror.list(Mirror.get(plan, "projectList")).stream()
        .allMatch(each -> Mirror.simpleName(each.getClass()).matches("Unresolved(Star|Attribute)"));
  }

  /** The query within {@code SELECT * FROM (query) alias}. */
  private static Object unwrapped(Object plan) {
    Object child = Mirror.get(plan, "child");
    return Mirror.simpleName(child.getClass()).equals("SubqueryAlias") ? Mirror.get(child, "child") : child;
  }
}
