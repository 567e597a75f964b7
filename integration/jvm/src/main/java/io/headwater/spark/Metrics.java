package io.headwater.spark;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.metric.SQLMetric;

/** What a finished execution read and wrote, by its physical plan's metrics or else by its tasks'. */
final class Metrics {
  private static final int MAX_OPERATORS = 20_000;

  private final Json inputs = new Json(256);
  private final Totals tasks;
  private long rows = -1;
  private long bytes = -1;
  private long files = -1;

  private Metrics(Totals tasks) {
    this.tasks = tasks;
  }

  /** {@code {"output": {…} | null, "input": […]}}; a failed execution has only what its tasks reported. */
  static void write(QueryExecution execution, boolean failed, Totals tasks, Json out) {
    Metrics metrics = new Metrics(tasks);
    if (execution != null && !failed) {
      metrics.walk(execution.executedPlan());
    }
    metrics.write(out);
  }

  private void write(Json out) {
    if (rows < 0 && bytes < 0 && (tasks.bytesWritten > 0 || tasks.rowsWritten > 0)) {
      rows = tasks.rowsWritten;
      bytes = tasks.bytesWritten;
    }
    out.raw("{\"output\":");
    if (rows < 0 && bytes < 0 && files < 0) {
      out.raw("null");
    } else {
      out.raw("{");
      measures(rows, bytes, files, out);
      out.raw("}");
    }
    out.raw(",\"input\":[").append(inputs).raw("]}");
  }

  private void walk(Object root) {
    ArrayDeque<Object> pending = new ArrayDeque<>();
    pending.add(root);
    for (int seen = 0; !pending.isEmpty() && seen < MAX_OPERATORS; seen++) {
      Object plan = pending.poll();
      int before = inputs.size();
      try {
        visit(plan, pending);
      } catch (Exception | LinkageError e) {
        inputs.truncate(before);
      }
    }
  }

  private void visit(Object plan, ArrayDeque<Object> pending) {
    String name = Mirror.simpleName(plan.getClass());
    if (name.equals("FileSourceScanExec")) {
      scan(plan, Mirror.path(plan, "relation", "location"));
    } else if (name.equals("BatchScanExec")) {
      scan(plan, Mirror.path(plan, "scan", "fileIndex"));
    } else if (name.equals("AdaptiveSparkPlanExec")) {
      add(Mirror.get(plan, "executedPlan"), pending);
    } else if (name.endsWith("QueryStageExec")) {
      add(Mirror.get(plan, "plan"), pending);
    } else if (name.equals("CommandResultExec")) {
      add(Mirror.get(plan, "commandPhysicalPlan"), pending);
    }
    Object measured = Mirror.get(plan, "metrics");
    if (Mirror.lookup(measured, "numOutputBytes") != null && name.endsWith("CommandExec")) {
      rows = value(measured, "numOutputRows");
      bytes = value(measured, "numOutputBytes");
      files = value(measured, "numFiles");
    }
    pending.addAll(Mirror.list(Mirror.get(plan, "children")));
  }

  private static void add(Object plan, ArrayDeque<Object> pending) {
    if (plan != null) {
      pending.add(plan);
    }
  }

  private void scan(Object plan, Object fileIndex) {
    Object measured = Mirror.get(plan, "metrics");
    Object table = Mirror.get(plan, "tableIdentifier");
    inputs.next().raw("{");
    if (table != null) {
      inputs.field("table", Mirror.text(table, "unquotedString"));
    }
    List<String> roots = Mirror.texts(Mirror.get(fileIndex, "rootPaths"));
    Leaves.texts("roots", roots, inputs);
    measures(
        value(measured, "numOutputRows"), value(measured, "filesSize"), value(measured, "numFiles"), inputs);
    inputs.raw("}");
  }

  private static void measures(long rows, long bytes, long files, Json out) {
    long[] values = {rows, bytes, files};
    List<String> names = Arrays.asList("rows", "bytes", "files");
    for (int i = 0; i < values.length; i++) {
      out.key(names.get(i));
      if (values[i] < 0) {
        out.raw("null");
      } else {
        out.number(values[i]);
      }
    }
  }

  private static long value(Object metrics, String name) {
    Object metric = Mirror.lookup(metrics, name);
    return metric instanceof SQLMetric ? ((SQLMetric) metric).value() : -1;
  }
}
