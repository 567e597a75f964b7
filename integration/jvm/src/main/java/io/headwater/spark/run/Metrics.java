package io.headwater.spark.run;

import io.headwater.spark.data.Counts;
import io.headwater.spark.document.Json;
import io.headwater.spark.document.Redaction;
import io.headwater.spark.plan.PlanEncoder;
import io.headwater.spark.reflection.Mirror;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.metric.SQLMetric;

/**
 * What a finished execution read and wrote, by its physical plan's metrics or else by its tasks'.
 *
 * <p>A scan below a cache may have been made by an earlier execution, which filled it: of such a scan that is reported by
 * which its metrics grew in this execution. That is nothing where the cache was full, and a part where it was so in
 * part.
 */
final class Metrics {
  private static final int MAX_OPERATORS = 20_000;
  private static final int MAX_LEAF = 1 << 16;

  private final Json inputs = new Json(256);
  private final Counts counts;
  private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
  private final ArrayDeque<Object> pending = new ArrayDeque<>();
  private final ArrayDeque<Object> caches = new ArrayDeque<>();
  private boolean belowCache;
  private long rows = -1;
  private long bytes = -1;
  private long files = -1;

  private Metrics(Counts counts) {
    this.counts = counts;
  }

  /** {@code {"output": {…} | null, "input": […]}}; a failed execution has only what its tasks reported. */
  static void write(QueryExecution execution, boolean failed, Counts counts, Json out) {
    Metrics metrics = new Metrics(counts);
    if (execution != null && !failed) {
      metrics.read(execution.executedPlan());
    }
    metrics.write(out);
  }

  private void write(Json out) {
    if (rows < 0 && bytes < 0 && (counts.bytesWritten > 0 || counts.rowsWritten > 0)) {
      rows = counts.rowsWritten;
      bytes = counts.bytesWritten;
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

  private void read(Object plan) {
    walk(plan);
    belowCache = true;
    while (!caches.isEmpty()) {
      walk(caches.poll());
    }
  }

  /** Each operator once, however often it is referred to. */
  private void walk(Object root) {
    add(root, pending);
    while (!pending.isEmpty() && seen.size() < MAX_OPERATORS) {
      Object plan = pending.poll();
      int before = inputs.size();
      try {
        if (seen.add(plan)) {
          visit(plan);
        }
      } catch (Exception | LinkageError e) {
        inputs.truncate(before);
      }
    }
  }

  private void visit(Object plan) {
    String name = Mirror.simpleName(plan.getClass());
    if (name.equals("FileSourceScanExec")) {
      files(plan);
    } else if (name.equals("BatchScanExec") || name.equals("RowDataSourceScanExec")) {
      source(plan);
    } else if (name.equals("InMemoryTableScanExec")) {
      add(Mirror.path(plan, "relation", "cacheBuilder", "cachedPlan"), caches);
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
    pending.addAll(Mirror.list(Mirror.get(plan, "subqueries")));
  }

  private static void add(Object plan, ArrayDeque<Object> plans) {
    if (plan != null) {
      plans.add(plan);
    }
  }

  private void files(Object plan) {
    Object table = Mirror.get(plan, "tableIdentifier");
    Json place = new Json(128);
    if (table != null) {
      place.field("table", Mirror.text(table, "unquotedString"));
    }
    Redaction.urls("roots", Mirror.texts(Mirror.path(plan, "relation", "location", "rootPaths")), place);
    scanned(place, Mirror.get(plan, "metrics"));
  }

  /** A scan of another source than files: the leaf of the logical plan that it is for. */
  private void source(Object plan) {
    List<Object> leaves = Mirror.list(Mirror.path(plan, "logicalLink", "collectLeaves"));
    if (leaves.size() == 1 && readsRowsOfOneSource(plan)) {
      Json place = new Json(256);
      place.key("leaf");
      PlanEncoder.encodeLeaf((TreeNode<?>) leaves.get(0), place, MAX_LEAF);
      scanned(place, Mirror.get(plan, "metrics"));
    }
  }

  /** Not so where the source itself has aggregated or joined: what comes then are no rows of it. */
  private static boolean readsRowsOfOneSource(Object plan) {
    Object pushed = Mirror.get(plan, "pushedDownOperators");
    return Mirror.get(pushed, "aggregation") == null
        && Mirror.list(Mirror.get(pushed, "joinedRelationPushedDownOperators")).isEmpty()
        && Mirror.path(plan, "scan", "pushedAggregate") == null;
  }

  private void scanned(Json place, Object measured) {
    long read = value(measured, "numOutputRows");
    long size = value(measured, "filesSize");
    long count = value(measured, "numFiles");
    if (!belowCache || read >= 0 || size >= 0 || count >= 0) {
      inputs.next().raw("{").append(place);
      measures(read, size, count, inputs);
      inputs.raw("}");
    }
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

  private long value(Object metrics, String name) {
    Object metric = Mirror.lookup(metrics, name);
    if (!(metric instanceof SQLMetric)) {
      return -1;
    }
    return belowCache ? counts.of((SQLMetric) metric) : ((SQLMetric) metric).value();
  }
}
