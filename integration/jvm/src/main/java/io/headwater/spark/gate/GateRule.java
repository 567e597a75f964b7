package io.headwater.spark.gate;

import io.headwater.spark.reflection.Mirror;
import java.util.List;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.catalyst.plans.logical.Command;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SQLExecution;

/**
 * Shows each command that is about to be executed to the gate. It is a rule of the optimiser, since these are the same on all
 * lines of Spark, and are applied to a command between its analysis and its execution. It changes no plan.
 */
final class GateRule extends Rule<LogicalPlan> {
  private static final String EXECUTION = "spark.sql.execution.id";
  private static final String STREAM = "sql.streaming.queryId";
  private static final String ROOT = "spark.sql.execution.root.id";

  private final Gate gate;

  GateRule(Gate gate) {
    this.gate = gate;
  }

  @Override
  public LogicalPlan apply(LogicalPlan plan) {
    SparkContext context = SparkContext.getOrCreate();
    String id = context.getLocalProperty(EXECUTION);
    QueryExecution query = id == null ? null : SQLExecution.getQueryExecution(Long.parseLong(id));
    if (query == null) {
      String stream = context.getLocalProperty(STREAM);
      if (stream != null) { // it plans its batches before there is an execution
        gate.passStream(stream);
      }
    } else if (isCommand(plan) && Overwrites.wasJudged()) {
      gate.noteJudged(Long.parseLong(id));
    } else if (isCommand(plan)) {
      String root = context.getLocalProperty(ROOT);
      gate.pass(plan, query, Long.parseLong(id), Long.parseLong(root == null ? id : root));
    } else if (!isCommand(query.analyzed())) {
      gate.valuesTaken();
    }
    return plan;
  }

  /** A command, or several that one statement has. */
  private static boolean isCommand(LogicalPlan plan) {
    List<?> children = Mirror.list(Mirror.get(plan, "children"));
    return plan instanceof Command
        || !children.isEmpty() && children.stream().allMatch(Command.class::isInstance);
  }
}
