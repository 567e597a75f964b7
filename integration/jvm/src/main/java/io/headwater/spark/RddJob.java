package io.headwater.spark;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.apache.spark.rdd.RDD;
import org.apache.spark.scheduler.JobFailed;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A job that no SQL execution has started: an action on an RDD, such as {@code df.rdd.map(…).collect()} or
 * PySpark's {@code df.foreach(…)}. It is reported like an execution whose plan is the RDD, or the RDD under a write, with a
 * negative number.
 */
final class RddJob {
  private static final String PLAN =
      "{\"classes\":[{\"name\":\"ExternalRDD\",\"class\":\"org.apache.spark.sql.execution.ExternalRDD\","
          + "\"fields\":[]}],\"types\":[],\"nodes\":[{\"c\":0,\"a\":[],\"out\":[],\"src\":{";

  private static final Pattern INFERENCE = Pattern.compile("^org\\.apache\\.spark\\.sql\\..*InferSchema\\b");
  private static final AtomicBoolean MISSED = new AtomicBoolean();
  private static final Logger LOG = LoggerFactory.getLogger("io.headwater.spark");

  private final SparkListenerJobStart started;
  private final RDD<?> rdd;
  private final RddWrite write;

  private RddJob(SparkListenerJobStart started, RDD<?> rdd, RddWrite write) {
    this.started = started;
    this.rdd = rdd;
    this.write = write;
  }

  boolean writes() {
    return write != null;
  }

  /**
   * The job. The notification has no RDD, and the scheduler forgets a job when it has ended: then the RDD is null, and
   * what the job reads is not known, unless it is the driver's own collections only: then there is no job to report. That a
   * write may be missed so is said once.
   */
  static RddJob of(SparkListenerJobStart event) {
    try {
      Object running = Mirror.path(Mirror.activeContext(), "dagScheduler", "jobIdToActiveJob");
      Object stage = Mirror.get(Mirror.lookup(running, event.jobId()), "finalStage");
      Object rdd = Mirror.get(stage, "rdd");
      if (rdd instanceof RDD) {
        Object function = Mirror.get(stage, "func");
        boolean infers = infersSchema(function) || infersSchema(Mirror.field(rdd, "f"));
        return infers ? null : new RddJob(event, (RDD<?>) rdd, RddWrite.of(function));
      }
    } catch (Exception | LinkageError e) {
      LOG.debug("the scheduler does not say what job {} computes", event.jobId(), e);
    }
    if (MISSED.compareAndSet(false, true)) {
      LOG.warn("Headwater came too late to see what an action on an RDD reads or writes; a write of it is not reported");
    }
    return isInMemory(event) ? null : new RddJob(event, null, null);
  }

  /** Whether Spark learns the schema of files by that function: what it reads so it gives to nobody. */
  private static boolean infersSchema(Object function) {
    return Mirror.captured(function, INFERENCE, 2) != null;
  }

  /** Whether each RDD without a parent, by the names in the notification, is a collection of the driver's. */
  private static boolean isInMemory(SparkListenerJobStart event) {
    for (Object stage : Mirror.list(Mirror.get(event, "stageInfos"))) {
      for (Object rdd : Mirror.list(Mirror.get(stage, "rddInfos"))) {
        boolean isLeaf = Mirror.list(Mirror.get(rdd, "parentIds")).isEmpty();
        if (isLeaf && !"ParallelCollectionRDD".equals(Mirror.text(rdd, "name"))) {
          return false;
        }
      }
    }
    return true;
  }

  void start(Json out) {
    Object stage = resultStage();
    String details = String.valueOf(Mirror.get(stage, "details"));
    head("execution-start", started.time(), out);
    out.key("description").string(Redaction.url(String.valueOf(Mirror.get(stage, "name"))), Values.MAX_TEXT);
    out.key("api").string(Execution.firstLine(details), Values.MAX_TEXT);
    out.key("callSite").string(Execution.userLine(details), Values.MAX_TEXT);
    Execution.ofModel(details, out);
    out.key("plan");
    if (write == null) {
      out.raw(PLAN);
      RddInputs.describe(rdd, out);
      out.raw("}}],\"root\":0,\"truncated\":false}");
    } else {
      write.plan(rdd, out);
    }
    out.raw("}");
  }

  void end(SparkListenerJobEnd event, int dropped, Json out) {
    head("execution-end", event.time(), out);
    Object result = event.jobResult();
    Execution.error(result instanceof JobFailed ? ((JobFailed) result).exception() : null, null, out);
    out.field("dropped", dropped).raw("}");
  }

  private void head(String kind, long time, Json out) {
    long number = -1L - started.jobId();
    out.raw("{\"v\":1").field("kind", kind).field("time", time);
    out.field("execution", number).field("root", number);
  }

  private Object resultStage() {
    Object last = null;
    for (Object stage : Mirror.list(Mirror.get(started, "stageInfos"))) {
      boolean later = last == null || (Integer) Mirror.get(stage, "stageId") > (Integer) Mirror.get(last, "stageId");
      last = later ? stage : last;
    }
    return last;
  }
}
