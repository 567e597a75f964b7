package io.headwater.spark.data;

import io.headwater.spark.reflection.Mirror;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.apache.spark.SparkContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which SQL execution made which snapshot of an Iceberg table. Iceberg notifies its listeners of a snapshot in the thread
 * that commits it, and that thread holds the number of its execution: this is known and not concluded.
 */
public final class IcebergSnapshots {
  private static final Logger LOG = LoggerFactory.getLogger("io.headwater.spark");
  private static final int MAX_EXECUTIONS = 10_000;
  private static final AtomicBoolean LISTENING = new AtomicBoolean();
  private static volatile BooleanSupplier watched = () -> false;
  private static final Map<Long, Snapshot> MADE =
      Collections.synchronizedMap(
          new LinkedHashMap<Long, Snapshot>() {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<Long, Snapshot> eldest) {
              return size() > MAX_EXECUTIONS;
            }
          });

  private IcebergSnapshots() {}

  /** The last snapshot, by its number. */
  public static final class Snapshot {
    final String table;
    public final String id;
    /** The first one of the same table, by the same execution. */
    final String first;

    Snapshot(String table, String id, String first) {
      this.table = table;
      this.id = id;
      this.first = first;
    }

    /** The later one of the same table; of two tables, neither from then on. */
    static Snapshot later(Snapshot earlier, Snapshot later) {
      return later.table.equals(earlier.table)
          ? new Snapshot(later.table, later.id, earlier.first)
          : new Snapshot(null, null, null);
    }
  }

  /** Listens from here on, where the application has Iceberg, while the application is watched. */
  public static void listen(BooleanSupplier isWatched) {
    watched = isWatched;
    if (!LISTENING.compareAndSet(false, true)) {
      return;
    }
    try {
      ClassLoader loader = Thread.currentThread().getContextClassLoader();
      Class<?> listener = Class.forName("org.apache.iceberg.events.Listener", true, loader);
      Class<?> event = Class.forName("org.apache.iceberg.events.CreateSnapshotEvent", true, loader);
      Object ours = Proxy.newProxyInstance(loader, new Class<?>[] {listener}, IcebergSnapshots::called);
      Class.forName("org.apache.iceberg.events.Listeners", true, loader)
          .getMethod("register", listener, Class.class)
          .invoke(null, ours, event);
    } catch (ClassNotFoundException e) {
      LISTENING.set(false);
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      LOG.debug("Iceberg does not notify of its snapshots", e);
    }
  }

  /** The snapshots of one table that an execution made, given once; null where it made none. */
  public static Snapshot takeMadeBy(long execution) {
    Snapshot made = MADE.remove(execution);
    return made == null || made.id == null ? null : made;
  }

  private static Object called(Object listener, Method method, Object[] arguments) {
    switch (method.getName()) {
      case "notify":
        note(arguments[0]);
        return null;
      case "equals":
        return listener == arguments[0];
      case "hashCode":
        return System.identityHashCode(listener);
      default:
        return "Headwater's listener";
    }
  }

  /** In the thread of the job's own that commits: nothing may be thrown here. */
  private static void note(Object event) {
    try {
      SparkContext context = (SparkContext) Mirror.activeContext();
      String execution = context == null ? null : context.getLocalProperty("spark.sql.execution.id");
      if (execution != null && watched.getAsBoolean()) {
        String number = Mirror.text(event, "snapshotId");
        Snapshot made = new Snapshot(Mirror.text(event, "tableName"), number, number);
        MADE.merge(Long.valueOf(execution), made, Snapshot::later);
      }
    } catch (Exception | LinkageError e) {
      LOG.debug("a snapshot of Iceberg's is not reported", e);
    }
  }
}
