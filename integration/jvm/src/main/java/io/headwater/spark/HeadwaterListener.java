package io.headwater.spark;

import io.headwater.spark.gate.Gate;
import io.headwater.spark.gate.GateExtensions;
import io.headwater.spark.reflection.Mirror;
import java.util.Arrays;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerApplicationEnd;
import org.apache.spark.scheduler.SparkListenerApplicationStart;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.ui.SparkListenerDriverAccumUpdates;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart;
import org.apache.spark.sql.streaming.StreamingQueryListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The listener, for {@code spark.extraListeners}, where {@link HeadwaterSource} enters it. Whatever goes wrong behind it stays behind it: a listener that
 * throws in its constructor would keep the application from starting.
 */
public final class HeadwaterListener extends SparkListener {
  private static final Logger LOG = LoggerFactory.getLogger("io.headwater.spark");

  private static final String EXTENSIONS = "spark.sql.extensions";

  private volatile Eye eye;

  public HeadwaterListener() {
    this(currentConf());
  }

  public HeadwaterListener(SparkConf conf) {
    guarded(() -> {
      Eye candidate = new Eye(conf);
      eye = candidate.enabled() ? candidate : null;
    });
    guarded(() -> enterGate(conf));
  }

  /**
   * Watches a running application.
   *
   * @param extra settings on top of the application's own; its configuration is not changed
   * @return false when it is already watched, or switched off
   */
  public static boolean attach(SparkContext context, java.util.Map<String, String> extra) {
    if (Eye.isWatching()) {
      return false;
    }
    SparkConf conf = context.conf().clone();
    extra.forEach(conf::set);
    HeadwaterListener listener = new HeadwaterListener(conf);
    if (listener.eye == null) {
      return false;
    }
    if (Gate.isAsked(conf) && !Gate.isInForce()) {
      LOG.warn("Headwater's gate is not in force: it has to be configured before the session begins");
    }
    listener.guarded(() -> listener.eye.onAttach(context));
    context.addSparkListener(listener);
    return true;
  }

  /**
   * Adds to the run of a query that has ended what was kept of its records.
   *
   * @param kept the facet's fields as JSON
   * @return false when no agent has seen the query
   */
  public static boolean records(QueryExecution query, String kept) {
    return Eye.onRecords(query, kept);
  }

  @Override
  public void onApplicationStart(SparkListenerApplicationStart event) {
    if (eye != null) {
      guarded(() -> eye.onApplicationStart(event));
    }
  }

  @Override
  public void onApplicationEnd(SparkListenerApplicationEnd event) {
    Gate.end();
    if (eye != null) {
      guarded(() -> eye.close(event.time(), Mirror.get(event, "exitCode")));
    }
  }

  @Override
  public void onJobStart(SparkListenerJobStart event) {
    if (event.properties() == null || event.properties().getProperty("spark.sql.execution.id") == null) {
      Gate.noteValues();
    }
    if (eye != null) {
      guarded(() -> eye.onJobStart(event));
    }
  }

  @Override
  public void onJobEnd(SparkListenerJobEnd event) {
    if (eye != null) {
      guarded(() -> eye.onJobEnd(event));
    }
  }

  @Override
  public void onTaskEnd(SparkListenerTaskEnd event) {
    if (eye != null) {
      guarded(() -> eye.onTaskEnd(event));
    }
  }

  @Override
  public void onOtherEvent(SparkListenerEvent event) {
    if (eye != null && event instanceof SparkListenerSQLExecutionStart) {
      guarded(() -> eye.onExecutionStart((SparkListenerSQLExecutionStart) event));
    } else if (eye != null && event instanceof SparkListenerSQLExecutionEnd) {
      guarded(() -> eye.onExecutionEnd((SparkListenerSQLExecutionEnd) event));
    } else if (eye != null && event instanceof SparkListenerDriverAccumUpdates) {
      guarded(() -> eye.onDriverCounts((SparkListenerDriverAccumUpdates) event));
    } else if (eye != null && event instanceof StreamingQueryListener.QueryTerminatedEvent) {
      guarded(() -> eye.onQueryEnd((StreamingQueryListener.QueryTerminatedEvent) event));
    }
  }

  /** After the first failure the eye stays shut: one line in the log instead of one an event. */
  private void guarded(Runnable action) {
    try {
      action.run();
    } catch (Throwable e) { // NOSONAR: also linkage errors on a Spark that is not known yet
      eye = null;
      LOG.warn("Headwater is switched off for this application; the job goes on", e);
    }
  }

  /** Where a gate is asked for, enters it for the sessions of the application that starts, which read it after this. */
  private static void enterGate(SparkConf conf) {
    if (Gate.isAsked(conf)) {
      conf.set(EXTENSIONS, withEntry(conf.get(EXTENSIONS, ""), GateExtensions.class.getName()));
    }
  }

  /** The list as it is, with the class at its end unless it is in it. */
  static String withEntry(String listed, String ours) {
    boolean present = Arrays.stream(listed.split(",")).map(String::trim).anyMatch(ours::equals);
    return present ? listed : listed.trim().isEmpty() ? ours : listed + "," + ours;
  }

  private static SparkConf currentConf() {
    return SparkEnv.get() == null ? new SparkConf() : SparkEnv.get().conf();
  }
}
