package io.headwater.spark.data;

import io.headwater.spark.reflection.Mirror;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.regex.Pattern;
import org.apache.spark.NarrowDependency;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.python.PythonFunction;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.QueryExecution;

/**
 * The rows of a frame, which a program in Python takes as an RDD, and what functions of Python make of them. Spark's RDD
 * does not know the plan that it comes from, so that PySpark's frame tells it ({@code frame_rows}), and it is kept as
 * long as somebody keeps the RDD. An RDD above it is followed down to it if all between is known: functions of Python,
 * which are kept for the brain, and what Spark itself does to bring their rows into its own form.
 */
public final class FrameRows {
  private static final int MOST_RDDS = 500;
  private static final Pattern CONVERSION =
      Pattern.compile("^org\\.apache\\.spark\\.(api\\.python\\.SerDeUtil|sql\\.(classic\\.)?SparkSession)\\$");
  private static final Map<RDD<?>, LogicalPlan> PLANS = Collections.synchronizedMap(new WeakHashMap<>());

  private final List<PythonFunction> functions = new ArrayList<>();
  private LogicalPlan plan;

  private FrameRows() {}

  /** Notes the frame of which an RDD has the rows. */
  public static void note(JavaRDD<?> rows, QueryExecution frame) {
    PLANS.put(rows.rdd(), frame.analyzed());
  }

  /** What an RDD makes of a frame's rows; null where it is not made of those alone, or something between is not known. */
  public static FrameRows below(RDD<?> rdd) {
    FrameRows found = new FrameRows();
    RDD<?> current = PLANS.isEmpty() ? null : rdd;
    for (int i = 0; current != null && i < MOST_RDDS; i++) {
      found.plan = PLANS.get(current);
      if (found.plan != null) {
        return found.functions.isEmpty() || readsKept(rdd) ? null : found;
      }
      current = found.step(current);
    }
    return null;
  }

  /** Whether rows on the way were kept by an earlier job, so that they may have been read before this one. */
  private static boolean readsKept(RDD<?> rdd) {
    ArrayDeque<RDD<?>> pending = new ArrayDeque<>();
    Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    pending.add(rdd);
    while (!pending.isEmpty()) {
      RDD<?> each = pending.poll();
      if (seen.add(each)) {
        boolean isKept = KeptRdds.since(each) != null || KeptRdds.areAny() && RddInputs.usesBroadcast(each);
        if (isKept || seen.size() > MOST_RDDS) {
          return true;
        }
        for (Object dependency : Mirror.list(Mirror.get(each, "dependencies"))) {
          pending.add((RDD<?>) Mirror.get(dependency, "rdd"));
        }
      }
    }
    return false;
  }

  /** The functions of Python, the last one first. */
  public List<PythonFunction> functions() {
    return functions;
  }

  /** The plan of the frame. */
  public LogicalPlan plan() {
    return plan;
  }

  /** The one RDD below; null where it is not the only one, or what is done to it is not known. */
  private RDD<?> step(RDD<?> rdd) {
    List<Object> dependencies = Mirror.list(Mirror.get(rdd, "dependencies"));
    if (dependencies.size() != 1 || !(dependencies.get(0) instanceof NarrowDependency)) {
      return null;
    }
    switch (Mirror.simpleName(rdd.getClass())) {
      case "PythonRDD":
        Object function = Mirror.field(rdd, "func");
        if (!(function instanceof PythonFunction)) {
          return null;
        }
        functions.add((PythonFunction) function);
        break;
      case "MapPartitionsRDD":
        if (Mirror.captured(Mirror.field(rdd, "f"), CONVERSION, 1) == null) {
          return null;
        }
        break;
      case "CoalescedRDD": // the same rows in fewer partitions
        break;
      default:
        return null;
    }
    return (RDD<?>) Mirror.get(dependencies.get(0), "rdd");
  }
}
