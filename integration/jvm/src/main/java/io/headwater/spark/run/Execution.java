package io.headwater.spark.run;

import io.headwater.spark.data.Content;
import io.headwater.spark.data.Counts;
import io.headwater.spark.data.DeltaCommits;
import io.headwater.spark.data.FilesBefore;
import io.headwater.spark.data.IcebergHistory;
import io.headwater.spark.data.IcebergSnapshots;
import io.headwater.spark.data.KeptRdds;
import io.headwater.spark.document.Json;
import io.headwater.spark.document.Redaction;
import io.headwater.spark.plan.ColumnIds;
import io.headwater.spark.plan.PlanEncoder;
import io.headwater.spark.plan.SqlText;
import io.headwater.spark.reflection.Mirror;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One SQL execution, from start to end. Its analysed plan is encoded once: the end reuses what the start wrote
 * when the plan is the same object.
 */
public final class Execution {
  private static final Logger LOG = LoggerFactory.getLogger("io.headwater.spark");
  private static final Set<String> MISSING = ConcurrentHashMap.newKeySet();
  private static final int MAX_SQL = 65_536;
  private static final String BODY = "ForeachBatchSink";
  private static final String OVERWRITE_MODE = "spark.sql.sources.partitionOverwriteMode";

  public final Counts counts = new Counts();
  /** What its tasks have written, and those of the executions inside it. */
  public final Counts written = new Counts();
  private final long id;
  private final Long root;
  private final long started;
  /** Spark's jobs, those of the executions inside it included; -1 where the start was not seen. */
  private volatile int jobs;
  private volatile String calledFrom;
  private volatile Object modifiedSettings;
  private volatile Long keptSince;
  private volatile boolean foundFiles;
  private volatile boolean runsBody;
  private Content content;
  /** The schema of the Delta table that it wrote. */
  private Object columns;
  private LogicalPlan encodedPlan;
  private byte[] encoded;

  /** {@code started} in epoch milliseconds; the time of the end where the start was not seen. */
  public Execution(long id, Long root, long started) {
    this.id = id;
    this.root = root;
    this.started = started;
  }

  /** The session's settings as they are when it starts: by the time that its end is seen, they may have changed. */
  public void settings(SparkListenerSQLExecutionStart event) {
    modifiedSettings = Mirror.get(event, "modifiedConfigs");
  }

  /** An execution of which only the end is seen: what it ran is not known. */
  public static Execution unseen(long id, long ended) {
    Execution execution = new Execution(id, null, ended);
    execution.jobs = -1;
    return execution;
  }

  /** What it executes. */
  public void of(QueryExecution query) {
    Object sink = Mirror.get(analyzed(query), "sink");
    runsBody = sink != null && BODY.equals(Mirror.simpleName(sink.getClass()));
  }

  /**
   * Whether the program's own function runs within it, as the body of a {@code foreachBatch} does: Spark then takes each
   * action on an RDD that the body begins for a job of this execution, which has none itself.
   */
  public boolean runsBody() {
    return runsBody;
  }

  /** One more job; called on the listener bus only. */
  public void ran() {
    jobs += 1;
  }

  /** The execution that it is a part of, or itself. */
  public long root() {
    return root == null ? id : root;
  }

  /**
   * The line that a Python driver noted, by one of the execution's jobs: of a micro-batch's, that of the query's start.
   * The execution's description may be the user's own words.
   */
  public void calledFrom(String site) {
    calledFrom = site == null ? calledFrom : site;
  }

  /** One of its jobs uses kept rows that may have been read {@code since} then; null for one that uses none. */
  public void usesKept(Long since) {
    keptSince = KeptRdds.earlier(keptSince, since);
  }

  /** An execution inside it, or itself, has ended. */
  public void ended(Execution inside) {
    foundFiles |= inside.foundFiles;
  }

  /** The start's document; {@code running} is null where Spark has already forgotten the query. */
  public void start(SparkListenerSQLExecutionStart event, QueryExecution running, int maxBytes, Json out) {
    head("execution-start", event.time(), out);
    String description = event.description() == null ? "" : Redaction.url(event.description());
    out.key("description").string(description, Json.MAX_TEXT);
    out.key("api").string(CallSite.firstLine(event.details()), Json.MAX_TEXT);
    out.key("callSite").string(CallSite.userLine(event.details()), Json.MAX_TEXT);
    CallSite.ofModel(event.details(), out);
    client(event, running, out);
    sql(running, out);
    plan(running, maxBytes, out);
    out.raw("}");
  }

  /** The end's document; {@code dropped} counts the documents dropped so far. */
  public void end(SparkListenerSQLExecutionEnd event, int maxBytes, int dropped, Json out) {
    Throwable failure = (Throwable) Mirror.content(event.executionFailure());
    head("execution-end", event.time(), out);
    out.field("durationNanos", event.duration());
    out.key("calledFrom").string(calledFrom == null ? "" : calledFrom, Json.MAX_TEXT);
    sql(event.qe(), out);
    plan(event.qe(), maxBytes, out);
    encoded = null;
    encodedPlan = null;
    ErrorConditions.write(failure, (String) Mirror.content(event.errorMessage()), out);
    metrics(event.qe(), failure != null, out);
    caches(event.qe(), out);
    version(event.qe(), event.time(), failure != null, out);
    overwriteMode(event.qe(), out);
    filesBefore(event.qe(), failure != null, out);
    content(out);
    columnIds(out);
    if (jobs >= 0) {
      out.field("jobs", jobs);
    }
    out.field("dropped", dropped).raw("}");
  }

  private void head(String kind, long time, Json out) {
    out.raw("{\"v\":1").field("kind", kind).field("time", time).field("execution", id);
    out.field("root", root());
  }

  private static void client(SparkListenerSQLExecutionStart event, QueryExecution query, Json out) {
    optional("the Connect client", "", out, () -> ConnectClient.write(event, Mirror.get(query, "sparkSession"), out));
  }

  private static void sql(QueryExecution query, Json out) {
    optional("the SQL text", "", out, () -> {
      String text = SqlText.of(analyzed(query));
      if (text != null) {
        out.key("sql").string(Redaction.url(text), MAX_SQL);
      }
    });
  }

  /**
   * The analysed plan; null where Spark has forgotten the query, and where it has refused the statement: it runs nothing
   * of that, so that nothing is to be reported. Spark 3.5 makes no execution of such a statement at all.
   */
  private static LogicalPlan analyzed(QueryExecution query) {
    try {
      return query == null ? null : query.analyzed();
    } catch (Exception e) { // AnalysisException is checked, and Scala declares none
      return null;
    }
  }

  /** A part that an event can do without: when it fails it is left out, with one warning. */
  private static void optional(String what, String instead, Json out, Runnable part) {
    int before = out.size();
    try {
      part.run();
    } catch (Exception | LinkageError | StackOverflowError e) {
      out.truncate(before);
      out.raw(instead);
      if (MISSING.add(what)) {
        LOG.warn("Headwater cannot report {}; the rest is reported", what, e);
      }
    }
  }

  private void plan(QueryExecution query, int maxBytes, Json out) {
    out.key("plan");
    int before = out.size();
    try {
      LogicalPlan analyzed = analyzed(query);
      if (analyzed == null) {
        out.raw("null");
        return;
      }
      if (analyzed != encodedPlan) {
        Json plan = new Json(1 << 14);
        PlanEncoder.encode(analyzed, Mirror.get(query, "sparkSession"), plan, maxBytes);
        encoded = plan.toBytes();
        encodedPlan = analyzed;
      }
      out.bytes(encoded);
    } catch (Exception | LinkageError | StackOverflowError | OutOfMemoryError e) {
      out.truncate(before);
      out.raw("{\"error\":{").field("class", e.getClass().getName());
      out.key("message").string(Redaction.url(String.valueOf(e.getMessage())), Json.MAX_TEXT).raw("}}");
    }
  }

  private void metrics(QueryExecution query, boolean failed, Json out) {
    out.key("metrics");
    String none = "{\"output\":null,\"input\":[]}";
    optional("what was counted", none, out, () -> Metrics.write(query, failed, counts, out));
  }

  private void caches(QueryExecution query, Json out) {
    out.key("cached");
    optional("what was cached", "[]", out, () -> Caches.write(query, keptSince, out));
  }

  /** Which partitions its writes replace: what the session says, else the application; nothing where it was not seen. */
  private void overwriteMode(QueryExecution query, Json out) {
    optional("the partition overwrite mode", "", out, () -> {
      if (query != null && modifiedSettings != null) {
        Object own = Mirror.lookup(modifiedSettings, OVERWRITE_MODE);
        SparkConf shared = (SparkConf) Mirror.path(query, "sparkSession", "sharedState", "conf");
        out.field("overwriteMode", own == null ? shared.get(OVERWRITE_MODE, "STATIC") : own.toString());
      }
    });
  }

  /** Whether it left files that were there before. Where that cannot be found out, there may have been some. */
  private void filesBefore(QueryExecution query, boolean failed, Json out) {
    optional("the files before a write", ",\"foundFiles\":true", out, () -> {
      FilesBefore files = failed ? null : FilesBefore.of(query, analyzed(query));
      if (files != null) {
        foundFiles |= files.found;
        content = content == null ? files.content : content;
      }
      if (foundFiles) {
        out.field("foundFiles", true);
      }
    });
  }

  /** The version of a table that it has made, where that is certain. */
  private void version(QueryExecution query, long ended, boolean failed, Json out) {
    out.key("version");
    optional("the version that was written", "null", out, () -> {
      IcebergSnapshots.Snapshot made = IcebergSnapshots.takeMadeBy(id);
      DeltaCommits commits = null;
      if (query != null && !failed && made == null) {
        commits = DeltaCommits.of(query, started, ended, written);
      }
      String version = commits == null ? null : commits.version();
      if (query != null && !failed && made != null) {
        version = made.id;
        content = IcebergHistory.content(analyzed(query), made);
      } else if (commits != null) {
        content = commits.content();
        columns = commits.columns();
      }
      out.raw(version == null ? "null" : "\"" + version + "\"");
    });
  }

  /** By which numbers the columns are found in the Delta table that was written, if by any. */
  private void columnIds(Json out) {
    if (columns != null) {
      optional("the numbers of columns", "", out, () -> ColumnIds.ofDelta(columns, out));
    }
  }

  /** What was in the dataset before, and is now, where that is known. */
  private void content(Json out) {
    if (content != null) {
      content.write(out);
    }
  }
}
