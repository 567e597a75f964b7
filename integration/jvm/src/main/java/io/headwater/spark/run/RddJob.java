package io.headwater.spark.run;

import io.headwater.spark.data.Places;
import io.headwater.spark.data.RddInputs;
import io.headwater.spark.document.Json;
import io.headwater.spark.document.Redaction;
import io.headwater.spark.reflection.Mirror;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.rdd.RDD;
import org.apache.spark.scheduler.JobFailed;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A job that no SQL execution has started: an action on an RDD, such as {@code df.rdd.map(…).collect()} or
 * PySpark's {@code df.foreach(…)}. It is reported like an execution with a negative number, whose plan is
 * {@code {"rdd": {…}, "write": {…}}}: the RDD and, where the action writes, the settings of its output format.
 */
public final class RddJob {
  private static final Pattern INFERENCE = Pattern.compile("^org\\.apache\\.spark\\.sql\\..*InferSchema\\b");
  private static final Pattern WRITER = Pattern.compile("WriteConfigUtil$");
  private static final AtomicBoolean MISSED = new AtomicBoolean();
  private static final Logger LOG = LoggerFactory.getLogger("io.headwater.spark");

  private final SparkListenerJobStart started;
  private final RDD<?> rdd;
  private final Configuration output;
  /** The class by which Spark learns the schema of files in this job; null in any other job. */
  private final String infers;

  private RddJob(SparkListenerJobStart started, RDD<?> rdd, Configuration output, String infers) {
    this.started = started;
    this.rdd = rdd;
    this.output = output;
    this.infers = infers;
  }

  public boolean writes() {
    return output != null;
  }

  /**
   * What an action writes by, through Hadoop's output formats: {@code saveAsTextFile}, {@code saveAsHadoopFile} and their
   * relatives. Spark keeps the configuration of such a write in the function that its tasks run, and nowhere else; null
   * for a function that does not write so.
   */
  private static Configuration output(Object function) {
    Object conf = Mirror.get(Mirror.field(Mirror.captured(function, WRITER, 1), "conf"), "value");
    return conf instanceof Configuration ? (Configuration) conf : null;
  }

  private static String format(Configuration conf) {
    return conf.get("mapreduce.job.outputformat.class", conf.get("mapred.output.format.class", "unknown"));
  }

  /**
   * The job. The notification has no RDD, and the scheduler forgets a job when it has ended: then the RDD is null, and
   * what the job reads is not known, unless it is the driver's own collections only: then there is no job to report. That a
   * write may be missed so is warned of once.
   */
  public static RddJob of(SparkListenerJobStart event) {
    try {
      Object running = Mirror.path(Mirror.activeContext(), "dagScheduler", "jobIdToActiveJob");
      Object stage = Mirror.get(Mirror.lookup(running, event.jobId()), "finalStage");
      Object rdd = Mirror.get(stage, "rdd");
      if (rdd instanceof RDD) {
        Object function = Mirror.get(stage, "func");
        String found = infersSchema(function);
        String infers = found == null ? infersSchema(Mirror.field(rdd, "f")) : found;
        return new RddJob(event, (RDD<?>) rdd, infers == null ? output(function) : null, infers);
      }
    } catch (Exception | LinkageError e) {
      LOG.debug("the scheduler does not show what job {} computes", event.jobId(), e);
    }
    if (MISSED.compareAndSet(false, true)) {
      LOG.warn("Headwater came too late to see what an action on an RDD reads or writes; a write of it is not reported");
    }
    return isInMemory(event) ? null : new RddJob(event, null, null, null);
  }

  /** The class by which Spark learns the schema of files in that function: of what it reads so, it gives names alone. */
  private static String infersSchema(Object function) {
    Object found = Mirror.captured(function, INFERENCE, 2);
    return found == null ? null : found.getClass().getSimpleName();
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

  public void start(Json out) {
    Object stage = resultStage();
    String details = String.valueOf(Mirror.get(stage, "details"));
    head("execution-start", started.time(), out);
    out.key("description").string(Redaction.url(String.valueOf(Mirror.get(stage, "name"))), Json.MAX_TEXT);
    out.key("api").string(CallSite.firstLine(details), Json.MAX_TEXT);
    out.key("callSite").string(CallSite.userLine(details), Json.MAX_TEXT);
    CallSite.ofModel(details, out);
    if (infers != null) {
      out.field("infers", infers);
    }
    out.key("plan").raw("{").key("rdd").raw("{");
    RddInputs.describe(rdd, out);
    out.raw("}");
    if (output != null) {
      out.key("write").raw("{").field("format", format(output));
      String directory = output.get("mapreduce.output.fileoutputformat.outputdir");
      out.field("path", directory == null ? null : Redaction.url(directory)).raw("}");
    }
    Places.write(out);
    out.raw("}}");
  }

  public void end(SparkListenerJobEnd event, int dropped, Json out) {
    head("execution-end", event.time(), out);
    Object result = event.jobResult();
    ErrorConditions.write(result instanceof JobFailed ? ((JobFailed) result).exception() : null, null, out);
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
