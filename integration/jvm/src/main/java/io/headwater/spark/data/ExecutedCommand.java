package io.headwater.spark.data;

import io.headwater.spark.reflection.Mirror;

/** The command of an executed plan, which has the figures of what was written. */
final class ExecutedCommand {
  private ExecutedCommand() {}

  /** The metrics of the command, which is inside of its results, and of an adaptive plan where it shuffles. */
  static Object metrics(Object physical) {
    return Mirror.get(command(physical), "metrics");
  }

  private static Object command(Object physical) {
    Object inside = inside(physical);
    return inside == null ? physical : command(inside);
  }

  private static Object inside(Object physical) {
    String name = Mirror.simpleName(physical.getClass());
    if (name.equals("CommandResultExec")) {
      return Mirror.get(physical, "commandPhysicalPlan");
    }
    if (name.equals("AdaptiveSparkPlanExec")) {
      return Mirror.get(physical, "executedPlan");
    }
    return name.endsWith("QueryStageExec") ? Mirror.get(physical, "plan") : null;
  }
}
