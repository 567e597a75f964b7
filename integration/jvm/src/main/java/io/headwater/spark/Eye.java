package io.headwater.spark;

import io.headwater.spark.data.IcebergSnapshots;
import io.headwater.spark.data.KeptRdds;
import io.headwater.spark.delivery.Marker;
import io.headwater.spark.delivery.Pipe;
import io.headwater.spark.delivery.Settings;
import io.headwater.spark.document.Json;
import io.headwater.spark.reflection.Mirror;
import io.headwater.spark.run.Application;
import io.headwater.spark.run.Ending;
import io.headwater.spark.run.ErrorConditions;
import io.headwater.spark.run.Execution;
import io.headwater.spark.run.RddJob;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.SparkListenerApplicationStart;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SQLExecution;
import org.apache.spark.sql.execution.ui.SparkListenerDriverAccumUpdates;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart;
import org.apache.spark.sql.streaming.StreamingQueryListener;

/**
 * Turns Spark's notifications into documents. All {@code on…} methods run on the listener bus and only note and
 * enqueue; encoding happens behind the {@link Pipe}.
 *
 * <p>One eye at a time sees an application: the first to be notified claims it, so that being configured twice
 * (settings and {@code attach}, or two settings) reports nothing twice.
 */
final class Eye {
  private static final int MAX_RUNNING = 10_000;
  private static final AtomicReference<Eye> CLAIMED = new AtomicReference<>();

  private final SparkConf conf;
  private final Settings settings;
  private final Pipe pipe;
  private final Marker marker;
  private final AtomicBoolean introduced = new AtomicBoolean();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final Map<Integer, Long> stages = bounded();
  private final Map<Long, Execution> running = bounded();
  private final Map<Integer, RddJob> rddJobs = bounded();
  /** The number of each query's execution, and of its root's, as long as somebody else keeps the query. */
  private final Map<QueryExecution, long[]> queries = Collections.synchronizedMap(new WeakHashMap<>());
  private final Thread hook = new Thread(this::closeLate, "headwater-shutdown");

  Eye(SparkConf conf) {
    this.conf = conf;
    this.settings = new Settings(conf);
    this.pipe = new Pipe(settings);
    this.marker = new Marker(settings.marker());
  }

  boolean enabled() {
    return settings.enabled();
  }

  /** Whether some eye is watching an application in this JVM. */
  static boolean isWatching() {
    Eye eye = CLAIMED.get();
    return eye != null && !eye.closed.get();
  }

  void onApplicationStart(SparkListenerApplicationStart event) {
    if (claim()) {
      introduce(Application.of(event, conf));
    }
  }

  void onAttach(SparkContext context) {
    if (claim()) {
      introduce(Application.of(context, conf));
    }
  }

  void onExecutionStart(SparkListenerSQLExecutionStart event) {
    if (claim()) {
      Execution execution =
          new Execution(event.executionId(), (Long) Mirror.content(event.rootExecutionId()), event.time());
      execution.settings(event);
      running.put(event.executionId(), execution);
      QueryExecution query = query(event.executionId());
      if (query != null) {
        queries.put(query, new long[] {event.executionId(), execution.root()});
        execution.of(query);
      }
      pipe.offer(out -> execution.start(event, query, settings.planBytes(), out));
    }
  }

  void onExecutionEnd(SparkListenerSQLExecutionEnd event) {
    if (claim()) {
      Execution known = running.remove(event.executionId());
      Execution execution = known == null ? Execution.unseen(event.executionId(), event.time()) : known;
      Execution root = running.getOrDefault(execution.root(), execution);
      pipe.offer(out -> {
        execution.end(event, settings.planBytes(), pipe.dropped(), out);
        root.ended(execution);
      });
    }
  }

  /** What was kept of the records of a query that has ended, as JSON; false where no eye has seen it. */
  static boolean onRecords(QueryExecution query, String kept) {
    Eye eye = CLAIMED.get();
    long[] ids = eye == null || eye.closed.get() ? null : eye.queries.get(query);
    if (ids == null) {
      return false;
    }
    long time = System.currentTimeMillis();
    eye.pipe.offer(out -> {
      out.raw("{\"v\":1").field("kind", "records").field("time", time);
      out.field("execution", ids[0]).field("root", ids[1]).key("records").text(kept).raw("}");
    });
    return true;
  }

  void onQueryEnd(StreamingQueryListener.QueryTerminatedEvent event) {
    if (claim()) {
      long time = System.currentTimeMillis();
      pipe.offer(out -> queryEnd(event, time, out));
    }
  }

  private void queryEnd(StreamingQueryListener.QueryTerminatedEvent event, long time, Json out) {
    out.raw("{\"v\":1").field("kind", "stream-end").field("time", time);
    out.field("query", event.runId().toString()).field("id", event.id().toString());
    ErrorConditions.write(null, (String) Mirror.content(event.exception()), out);
    out.field("dropped", pipe.dropped()).raw("}");
  }

  void onJobStart(SparkListenerJobStart event) {
    String id = event.properties() == null ? null : event.properties().getProperty("spark.sql.execution.id");
    Execution execution = id == null ? null : running.get(Long.valueOf(id));
    Long since = KeptRdds.use(event);
    if (id != null) {
      for (Object stage : Mirror.list(Mirror.get(event, "stageInfos"))) {
        stages.put((Integer) Mirror.get(stage, "stageId"), Long.valueOf(id));
      }
      ran(execution);
      started(id, event.properties(), since);
      started(event.properties().getProperty("spark.sql.execution.root.id"), event.properties(), since);
    }
    if ((id == null || execution != null && execution.runsBody()) && claim()) {
      RddJob job = RddJob.of(event);
      if (job != null && (job.writes() || settings.accesses())) {
        rddJobs.put(event.jobId(), job);
        pipe.offer(job::start);
      }
    }
  }

  private void ran(Execution execution) {
    if (execution != null) {
      execution.ran();
      Execution root = running.get(execution.root());
      if (root != null && root != execution) {
        root.ran();
      }
    }
  }

  /** A job of the execution, which uses kept rows that have been there {@code since}. */
  private void started(String id, Properties properties, Long since) {
    Execution execution = id == null ? null : running.get(Long.valueOf(id));
    if (execution != null) {
      String query = properties.getProperty("headwater.query.callSite");
      execution.calledFrom(query == null ? properties.getProperty("callSite.short") : query);
      execution.usesKept(since);
    }
  }

  void onJobEnd(SparkListenerJobEnd event) {
    RddJob job = rddJobs.remove(event.jobId());
    if (job != null) {
      pipe.offer(out -> job.end(event, pipe.dropped(), out));
    }
  }

  void onTaskEnd(SparkListenerTaskEnd event) {
    Long id = stages.get(event.stageId());
    Execution execution = id == null ? null : running.get(id);
    if (execution != null && event.taskMetrics() != null && event.taskInfo().successful()) {
      execution.counts.add(event.taskInfo(), event.taskMetrics());
      running.getOrDefault(execution.root(), execution).written.addWritten(event.taskMetrics());
    }
  }

  void onDriverCounts(SparkListenerDriverAccumUpdates event) {
    Execution execution = running.get(event.executionId());
    if (execution != null) {
      execution.counts.add(Mirror.list(Mirror.get(event, "accumUpdates")));
    }
  }

  /** Sends what is waiting and lets the brain finish; returns after the flush timeout at the latest. */
  void close(long time, Object exitCode) {
    if (CLAIMED.get() == this && closed.compareAndSet(false, true)) {
      long deadline = System.currentTimeMillis() + pipe.brainMillis();
      pipe.close(out -> end(time, deadline, exitCode, out));
      marker.remove();
      unhook();
    }
  }

  private boolean claim() {
    Eye holder = CLAIMED.get();
    if (holder == this) {
      return !closed.get();
    }
    if (holder != null && !holder.closed.get() || !CLAIMED.compareAndSet(holder, this)) {
      return false;
    }
    marker.create();
    KeptRdds.forget();
    IcebergSnapshots.listen(Eye::isWatching);
    Runtime.getRuntime().addShutdownHook(hook);
    pipe.start();
    return true;
  }

  private void introduce(Application application) {
    if (introduced.compareAndSet(false, true)) {
      pipe.offer(application::write);
    }
  }

  /** The query, while it runs; Spark forgets finished ones. */
  private static QueryExecution query(long execution) {
    try {
      return SQLExecution.getQueryExecution(execution);
    } catch (Exception | LinkageError e) {
      return null;
    }
  }

  private void end(long time, long deadline, Object exitCode, Json out) {
    out.raw("{\"v\":1").field("kind", "application-end").field("time", time).field("deadline", deadline);
    Ending.write(exitCode, out);
    out.field("dropped", pipe.dropped()).raw("}");
  }

  /**
   * A program that leaves without stopping its session: Spark's own hook stops it, and the end of the
   * application comes over the bus. Only if it does not come is the eye closed from here.
   */
  private void closeLate() {
    long deadline = System.currentTimeMillis() + settings.flushMillis();
    try {
      while (!closed.get() && System.currentTimeMillis() < deadline) {
        Thread.sleep(20);
      }
      close(System.currentTimeMillis(), null);
      pipe.awaitClosed(deadline + settings.flushMillis() - System.currentTimeMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void unhook() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      return; // the JVM is already leaving
    }
  }

  private static <K, V> Map<K, V> bounded() {
    return new LinkedHashMap<K, V>() {
      private static final long serialVersionUID = 1L;

      @Override
      protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        return size() > MAX_RUNNING;
      }
    };
  }
}
