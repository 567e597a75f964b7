package io.headwater.spark.plan;

/** A plan of which even the cut form does not fit into twice {@code spark.headwater.plan.maxBytes}. */
final class PlanTooLarge extends RuntimeException {
  private static final long serialVersionUID = 1L;

  PlanTooLarge(int maxBytes) {
    super("the plan does not fit into " + maxBytes + " bytes; spark.headwater.plan.maxBytes raises the bound");
  }
}
