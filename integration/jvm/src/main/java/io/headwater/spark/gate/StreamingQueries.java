package io.headwater.spark.gate;

import io.headwater.spark.reflection.Mirror;
import java.util.UUID;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** The application's streaming queries. Each plans its micro-batches in a thread of its own, and what these do is done there. */
final class StreamingQueries {
  private static final String ID = "sql.streaming.queryId";

  private StreamingQueries() {}

  /** The query for which this thread works; null for none, and where Spark does not show it. */
  static Object ofThread(Object session) {
    String id = id();
    Object active = id == null ? null : active(session);
    return active == null ? null : Mirror.lookup(active, UUID.fromString(id));
  }

  /** Whether this thread works for a query, and Spark does not show which there are, as one of its later lines may. */
  static boolean areHidden(Object session) {
    return id() != null && active(session) == null;
  }

  private static String id() {
    return SparkContext.getOrCreate().getLocalProperty(ID);
  }

  private static Object active(Object session) {
    return Mirror.ask(session, "sharedState", "activeStreamingQueries");
  }

  /** Whether the query has begun to plan micro-batches: before that it looks for its sources. */
  static boolean plansBatches(Object query) {
    return query != null && Mirror.ask(query, "lastExecution") != null;
  }

  /** Tells the query from others, and from itself before it was started again; empty for null. */
  static String run(Object query) {
    return query == null ? "" : Mirror.text(query, "runId");
  }

  /** What the query writes in all its micro-batches: Spark's own plan of it, over all its sources as they were analysed. */
  static LogicalPlan write(Object query) {
    LogicalPlan plan = (LogicalPlan) Mirror.get(query, "logicalPlan");
    return (LogicalPlan) plan.mapChildren(child -> (LogicalPlan) Mirror.get(query, "analyzedPlan"));
  }
}
