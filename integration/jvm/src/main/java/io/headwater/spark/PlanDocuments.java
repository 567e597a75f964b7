package io.headwater.spark;

import io.headwater.spark.document.Json;
import io.headwater.spark.plan.PlanEncoder;
import java.nio.charset.StandardCharsets;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** Encodes a plan on request, for whoever wants to see what the eye would send: tests, benchmarks, support. */
public final class PlanDocuments {
  private PlanDocuments() {}

  /** The plan's document as JSON text of at most about {@code maxBytes}. */
  public static String encode(LogicalPlan plan, int maxBytes) {
    Json out = new Json(1 << 14);
    PlanEncoder.encode(plan, null, out, maxBytes);
    return new String(out.toBytes(), StandardCharsets.UTF_8);
  }

  /** How many bytes the plan's document takes. */
  public static int size(LogicalPlan plan, int maxBytes) {
    Json out = new Json(1 << 14);
    PlanEncoder.encode(plan, null, out, maxBytes);
    return out.size();
  }
}
