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
  private static final String ROOT = "spark.sql.execution.root.id";

  private final Gate gate;
  private final Object session;

  GateRule(Gate gate, Object session) {
    this.gate = gate;
    this.session = session;
  }

  @Override
  public LogicalPlan apply(LogicalPlan plan) {
    SparkContext context = SparkContext.getOrCreate();
    String id = context.getLocalProperty(EXECUTION);
    QueryExecution query = id == null ? null : SQLExecution.getQueryExecution(Long.parseLong(id));
    Object stream = StreamingQueries.ofThread(session);
    if (StreamingQueries.areHidden(session)) {
      gate.passHiddenStream();
    } else if (StreamingQueries.plansBatches(stream)) { // it does so before there is an execution, or in that of its starter
      gate.passStream(stream);
    }
    if (query == null) {
      return plan;
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
