package io.headwater.spark.records;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.catalyst.plans.logical.Command;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SQLExecution;
import org.apache.spark.sql.execution.datasources.V1WriteCommand;
import org.slf4j.LoggerFactory;
import scala.runtime.BoxedUnit;

/**
 * Asks for each write of files whether it shall carry ids. It stands at the end of the optimiser, where the write has its last
 * shape, and gives the function that with the execution, which knows the plan as it was analysed. What fails leaves the write
 * as it is.
 */
public final class WriteRule extends Rule<LogicalPlan> {
  private static final String EXECUTION = "spark.sql.execution.id";

  private final Function<List<Object>, Object> carrying;

  /** The function takes the write and its execution, and gives the write to be run. */
  public WriteRule(Function<List<Object>, Object> carrying) {
    this.carrying = carrying;
  }

  @Override
  public LogicalPlan apply(LogicalPlan plan) {
    V1WriteCommand write = write(plan);
    if (write == null || write.fileFormat() instanceof CarriedIds) {
      return plan;
    }
    try {
      String id = SparkContext.getOrCreate().getLocalProperty(EXECUTION);
      QueryExecution execution = id == null ? null : SQLExecution.getQueryExecution(Long.parseLong(id));
      return execution == null ? plan : (LogicalPlan) carrying.apply(Arrays.asList(plan, execution));
    } catch (Throwable e) { // NOSONAR: nothing here may end the job
      LoggerFactory.getLogger("io.headwater.spark").warn("a write carries no ids of its records", e);
      return plan;
    }
  }

  /** The write that a plan is, or that subqueries stand beside which were put together; null if there is none. */
  private static V1WriteCommand write(LogicalPlan plan) {
    if (plan instanceof Command) {
      return plan instanceof V1WriteCommand ? (V1WriteCommand) plan : null;
    }
    AtomicReference<V1WriteCommand> found = new AtomicReference<>();
    plan.foreach(
        node -> {
          if (node instanceof V1WriteCommand) {
            found.set((V1WriteCommand) node);
          }
          return BoxedUnit.UNIT;
        });
    return found.get();
  }
}
