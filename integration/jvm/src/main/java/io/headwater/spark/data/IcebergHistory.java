package io.headwater.spark.data;

import io.headwater.spark.reflection.Mirror;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Whether a former content of an Iceberg table is its current one: a procedure (rollback_to_snapshot, fast_forward …), a
 * branch or another engine has brought it back. The table's log tells: there a snapshot that is committed has its own
 * time, and one that is set again a later one. From a snapshot that was cherry-picked its copy has the number.
 */
public final class IcebergHistory {
  private static final int MAX_SNAPSHOTS = 10_000;
  private static final int MAX_DEPTH = 4;
  private static final String PICKED = "source-snapshot-id";
  /** How a snapshot is made that brings no rows: by rewriting files, or by deleting rows. */
  private static final List<String> WITHOUT_ROWS = Arrays.asList("replace", "delete");

  private final Map<String, Object> snapshots = new HashMap<>();
  private final Map<String, Long> logged = new HashMap<>();
  private final Object current;

  private IcebergHistory(Object table) {
    for (Object each : Mirror.list(Mirror.ask(table, "snapshots"))) {
      snapshots.put(number(each, "snapshotId"), each);
    }
    for (Object each : Mirror.list(Mirror.ask(table, "history"))) {
      logged.merge(number(each, "snapshotId"), time(each), Math::max);
    }
    current = Mirror.ask(table, "currentSnapshot");
  }

  /** The time of the oldest content that was brought back and may still be there, in epoch milliseconds; else null. */
  public static Long broughtBack(Object table) {
    return new IcebergHistory(table).oldest();
  }

  /**
   * What was in the table before an execution, and is now.
   *
   * @param plan the command, which has the table; null is returned where it has none
   */
  public static Content content(Object plan, IcebergSnapshots.Snapshot made) {
    Object table = table(plan);
    return table == null ? null : new IcebergHistory(table).contentOf(made);
  }

  private static Object table(Object plan) {
    Object table = plan;
    for (int depth = 0; table != null && depth < MAX_DEPTH; depth++) {
      if (Mirror.ask(table, "currentSnapshot") != null) {
        return table;
      }
      table = Mirror.ask(table, "table");
    }
    return null;
  }

  /** Null where the snapshot is not among those of the table: what was read of the table is older. */
  private Content contentOf(IcebergSnapshots.Snapshot made) {
    Object snapshot = snapshots.get(made.first);
    if (snapshot == null) {
      return null;
    }
    return Content.versions(lastWithRows(number(snapshot, "parentId")), made.id);
  }

  /** The state in which a read finds a table in a snapshot, by the snapshot's number. */
  static String found(Object table, Object snapshot) {
    return Content.found(new IcebergHistory(table).lastWithRows(String.valueOf(snapshot)));
  }

  /** The snapshot that brought the rows which a table has in that one; null for an empty table. */
  private String lastWithRows(String newest) {
    String each = newest;
    for (int i = 0; i < MAX_SNAPSHOTS; i++) {
      Object snapshot = snapshots.get(each);
      if (snapshot == null || bringsRows(snapshot) || isEmpty(snapshot)) {
        return each.equals("null") || isEmpty(snapshot) ? null : each;
      }
      each = number(snapshot, "parentId");
    }
    return each;
  }

  private static boolean bringsRows(Object snapshot) {
    return !WITHOUT_ROWS.contains(String.valueOf(Mirror.ask(snapshot, "operation")));
  }

  private static boolean isEmpty(Object snapshot) {
    return "0".equals(Mirror.lookup(Mirror.ask(snapshot, "summary"), "total-records"));
  }

  private Long oldest() {
    Long oldest = null;
    Object snapshot = current;
    for (int i = 0; snapshot != null && i < MAX_SNAPSHOTS; i++) {
      Long former = former(snapshot, oldest != null);
      if (former != null) {
        oldest = oldest == null ? former : Math.min(oldest, former);
      }
      Object parent = snapshots.get(number(snapshot, "parentId"));
      snapshot = replacesAll(snapshot, parent) ? null : parent;
    }
    return oldest;
  }

  /** When the content that the snapshot brings back was made; null where it brings none. */
  private Long former(Object snapshot, boolean belowOne) {
    Object picked = Mirror.lookup(Mirror.ask(snapshot, "summary"), PICKED);
    if (picked != null) {
      Object source = snapshots.get(picked.toString());
      return source == null ? 0L : time(source);
    }
    Long set = logged.get(number(snapshot, "snapshotId"));
    boolean again = set == null ? belowOne : set > time(snapshot);
    return again ? time(snapshot) : null;
  }

  /** Whether it has deleted all files that its parent had. */
  private static boolean replacesAll(Object snapshot, Object parent) {
    Object before = Mirror.lookup(Mirror.ask(parent, "summary"), "total-data-files");
    return before != null && before.equals(Mirror.lookup(Mirror.ask(snapshot, "summary"), "deleted-data-files"));
  }

  private static String number(Object made, String name) {
    return String.valueOf(Mirror.ask(made, name));
  }

  private static long time(Object made) {
    Object time = Mirror.ask(made, "timestampMillis");
    return time instanceof Long ? (Long) time : 0;
  }
}
