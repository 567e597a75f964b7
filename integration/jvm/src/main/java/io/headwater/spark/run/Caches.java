package io.headwater.spark.run;

import io.headwater.spark.data.KeptRdds;
import io.headwater.spark.document.Json;
import io.headwater.spark.plan.PlanEncoder;
import io.headwater.spark.reflection.Mirror;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.execution.QueryExecution;

/**
 * What an execution took out of caches: the leaves of the plans that filled these, with the time since which each may have
 * been read. Its analysed plan has these leaves as well, as if it had read them itself.
 */
final class Caches {
  private static final int MAX_OPERATORS = 20_000;
  private static final int MAX_LEAF = 1 << 16;

  private final Long since;
  private final Map<String, Long> leaves = new HashMap<>();
  private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
  private final ArrayDeque<Object> pending = new ArrayDeque<>();
  private final ArrayDeque<Object> caches = new ArrayDeque<>();

  private Caches(Long since) {
    this.since = since;
  }

  /**
   * {@code [{"since", "leaf"}, …]}, without a leaf where it is not known. {@code since} is when the first kept RDD that the
   * execution's jobs used was first used: that of a cache that was cleared meanwhile. Without any it took nothing.
   */
  static void write(QueryExecution execution, Long since, Json out) {
    Caches found = new Caches(since);
    if (execution != null && since != null) {
      found.walk(execution.executedPlan(), null);
      while (!found.caches.isEmpty()) {
        found.fill(found.caches.poll());
      }
    }
    out.raw("[");
    for (Map.Entry<String, Long> each : found.leaves.entrySet()) {
      out.next().raw("{").field("since", each.getValue());
      if (!each.getKey().isEmpty()) {
        out.key("leaf").text(each.getKey());
      }
      out.raw("}");
    }
    out.raw("]");
  }

  private void fill(Object cache) {
    Long first = KeptRdds.since(Mirror.field(cache, "_cachedColumnBuffers"));
    walk(Mirror.get(cache, "cachedPlan"), first == null ? since : first);
  }

  /** Each operator once; {@code filled} is when the cache was that it filled, null for the execution's own operators. */
  private void walk(Object root, Long filled) {
    add(root);
    while (!pending.isEmpty() && seen.size() < MAX_OPERATORS) {
      Object plan = pending.poll();
      if (seen.add(plan)) {
        visit(plan, filled);
      }
    }
  }

  private void visit(Object plan, Long filled) {
    String name = Mirror.simpleName(plan.getClass());
    List<Object> children = Mirror.list(Mirror.get(plan, "children"));
    if (name.equals("InMemoryTableScanExec")) {
      caches.add(Mirror.path(plan, "relation", "cacheBuilder"));
    } else if (name.equals("AdaptiveSparkPlanExec")) {
      add(Mirror.get(plan, "executedPlan"));
    } else if (name.endsWith("QueryStageExec")) {
      add(Mirror.get(plan, "plan"));
    } else if (name.equals("ReusedExchangeExec")) {
      add(Mirror.get(plan, "child"));
    } else if (name.equals("CommandResultExec")) {
      add(Mirror.get(plan, "commandPhysicalPlan"));
    } else if (children.isEmpty() && filled != null) {
      leaf(plan, filled);
    }
    pending.addAll(children);
    pending.addAll(Mirror.list(Mirror.get(plan, "subqueries")));
  }

  private void leaf(Object plan, Long filled) {
    List<Object> logical = Mirror.list(Mirror.path(plan, "logicalLink", "collectLeaves"));
    for (Object each : logical) {
      Json leaf = new Json(256);
      PlanEncoder.encodeLeaf((TreeNode<?>) each, leaf, MAX_LEAF);
      leaves.merge(leaf.toString(), filled, KeptRdds::earlier);
    }
    if (logical.isEmpty()) {
      leaves.merge("", filled, KeptRdds::earlier);
    }
  }

  private void add(Object plan) {
    if (plan != null) {
      pending.add(plan);
    }
  }
}
