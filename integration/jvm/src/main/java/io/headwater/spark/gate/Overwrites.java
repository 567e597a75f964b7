package io.headwater.spark.gate;

import io.headwater.spark.reflection.Mirror;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import org.apache.spark.sql.DataFrameWriter;
import org.apache.spark.sql.catalyst.plans.logical.Command;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import scala.Function1;
import scala.runtime.BoxedUnit;

/**
 * Judges a {@code saveAsTable} of Spark 3.5 that overwrites a table of the session's catalog. Spark drops the table and plans
 * the write after that, when a refusal would come too late. Before it drops it, it analyses a read of the table, which it shows
 * to this rule. What would be written is known to the writer alone, which {@link #saveAsTable} keeps for its thread: the rule
 * has it plan the write up to the analysed command, judges that, and abandons it. Without a writer the write is refused.
 */
public final class Overwrites implements Function1<LogicalPlan, BoxedUnit> {
  private static final String WRITER = "org.apache.spark.sql.DataFrameWriter";
  private static final String SESSION = "org.apache.spark.sql.SparkSession";
  private static final ThreadLocal<Attempt> ATTEMPT = new ThreadLocal<>();

  private final Gate gate;

  Overwrites(Gate gate) {
    this.gate = gate;
  }

  /** Whether Spark drops a table before it plans what replaces it: since Spark 4, where sessions are of another class, it does not. */
  static boolean areLate() {
    try {
      Class.forName("org.apache.spark.sql.classic.SparkSession", false, LogicalPlan.class.getClassLoader());
      return false;
    } catch (ClassNotFoundException e) {
      return true;
    }
  }

  /** Calls the writer's own method, with the writer known to this rule meanwhile. PySpark's calls are led here. */
  public static void saveAsTable(DataFrameWriter<?> writer, String table) {
    Attempt before = ATTEMPT.get();
    ATTEMPT.set(new Attempt(writer));
    try {
      writer.saveAsTable(table);
    } finally {
      ATTEMPT.set(before);
    }
  }

  /** Whether the command that this thread is about to execute was judged before; true once. */
  static boolean wasJudged() {
    Attempt attempt = ATTEMPT.get();
    boolean judged = attempt != null && attempt.judged;
    if (judged) {
      attempt.judged = false;
    }
    return judged;
  }

  @Override
  public BoxedUnit apply(LogicalPlan plan) {
    Attempt attempt = ATTEMPT.get();
    if (attempt != null && attempt.planning) {
      if (plan instanceof Command) {
        gate.passBeforeDrop(plan, Mirror.get(attempt.frame(), "sparkSession"));
        throw new JudgedException();
      }
    } else if (!(plan instanceof Command) && gate.mayRefuse() && isBeforeDrop()) {
      if (attempt == null) {
        gate.refuseBeforeDrop("nothing is known of the data that are to be written");
      }
      judge(attempt, plan);
    }
    return BoxedUnit.UNIT;
  }

  private void judge(Attempt attempt, LogicalPlan table) {
    attempt.planning = true;
    try {
      attempt.createTable(identifier(table));
      gate.refuseBeforeDrop("Spark has not planned the write");
    } catch (JudgedException e) {
      attempt.judged = true;
    } catch (ReflectiveOperationException | IllegalArgumentException e) {
      gate.refuseBeforeDrop(String.valueOf(e.getMessage()));
    } finally {
      attempt.planning = false;
    }
  }

  /** The name of the table that a plan reads, with its database. */
  private static Object identifier(LogicalPlan read) {
    for (Object leaf : Mirror.list(Mirror.get(read, "collectLeaves"))) {
      Object table = Mirror.ask(leaf, "catalogTable");
      Object found = Mirror.ask(table == null ? Mirror.ask(leaf, "tableMeta") : table, "identifier");
      if (found != null) {
        return found;
      }
    }
    throw new IllegalArgumentException("the table is of an unknown kind");
  }

  /** Whether the plan is of the read that comes before the drop. */
  private static boolean isBeforeDrop() {
    StackTraceElement[] frames = Thread.currentThread().getStackTrace();
    for (int i = 1; i < frames.length; i++) {
      if (is(frames[i], WRITER, "saveAsTable")) {
        return is(frames[i - 1], SESSION, "table");
      }
    }
    return false;
  }

  private static boolean is(StackTraceElement frame, String type, String method) {
    return frame.getMethodName().equals(method) && frame.getClassName().equals(type);
  }

  /** A {@code saveAsTable} in a thread. */
  private static final class Attempt {
    final DataFrameWriter<?> writer;
    boolean planning;
    boolean judged;

    Attempt(DataFrameWriter<?> writer) {
      this.writer = writer;
    }

    Object frame() {
      return Mirror.field(writer, "df");
    }

    void createTable(Object identifier) throws ReflectiveOperationException {
      Method method = writer.getClass().getDeclaredMethod("createTable", identifier.getClass());
      method.setAccessible(true);
      try {
        method.invoke(writer, identifier);
      } catch (InvocationTargetException e) {
        if (e.getCause() instanceof RuntimeException) {
          throw (RuntimeException) e.getCause();
        }
        throw new IllegalArgumentException(String.valueOf(e.getCause()), e);
      }
    }
  }

  /** Ends the planning of a command that was only to be judged. */
  private static final class JudgedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    JudgedException() {
      super(null, null, false, false);
    }
  }
}
