package io.headwater.spark.gate;

import io.headwater.spark.delivery.Settings;
import io.headwater.spark.document.Json;
import io.headwater.spark.plan.PlanEncoder;
import io.headwater.spark.reflection.Mirror;
import io.headwater.spark.run.Application;
import java.util.Collections;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.TimeoutException;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.QueryExecution;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The gate of an application. It asks for a verdict on each command, in the order in which they are planned, since a write may
 * read what an earlier one wrote.
 */
public final class Gate {
  private static final Logger LOG = LoggerFactory.getLogger("io.headwater.spark");
  private static final String NAME = "Headwater's gate";
  private static final long BUS_MILLIS = 10_000;
  private static Gate current;

  private final SparkConf conf;
  private final GateSettings settings;
  private final Map<QueryExecution, String> refused = Collections.synchronizedMap(new WeakHashMap<>());
  private final Set<Long> judged = new HashSet<>();
  /** Why each streaming query that was judged may not write to its sink, or null. */
  private final Map<Object, String> streams = new WeakHashMap<>();
  private final Questions questions;
  private volatile boolean handedOut;

  private Gate(SparkConf conf) {
    this.conf = conf;
    this.settings = new GateSettings(conf);
    this.questions = new Questions(settings, this::introduction);
  }

  /** The gate of the application that is running or starting; null where none is asked for. */
  static synchronized Gate ofApplication() {
    SparkConf conf = SparkEnv.get().conf();
    if (current == null || current.conf != conf) {
      end();
      Gate gate = new Gate(conf);
      current = gate.settings.isOn() ? gate : null;
      if (current != null) {
        gate.prepare();
      }
    }
    return current;
  }

  /** Starts the judge aside: the application need not wait for it before its first write. */
  private void prepare() {
    Thread thread = new Thread(() -> {
      synchronized (this) {
        questions.prepare();
      }
    }, "headwater-gate-start");
    thread.setDaemon(true);
    thread.start();
  }

  /** Whether these settings ask for a gate. */
  public static boolean isAsked(SparkConf conf) {
    return new GateSettings(conf).isOn();
  }

  /** Whether a session of the running application has the gate. */
  public static synchronized boolean isInForce() {
    return current != null;
  }

  /** Notes that the program has been given values, which later constants and rows may be. */
  public static synchronized void noteValues() {
    if (current != null) {
      current.handedOut = true;
    }
  }

  /** Ends the judge of the application that has ended. */
  public static synchronized void end() {
    if (current != null) {
      current.questions.end();
    }
    current = null;
  }

  void valuesTaken() {
    handedOut = true;
  }

  /**
   * Judges a command that is about to be executed. What is refused once is refused again: Spark may plan it twice.
   *
   * @throws WriteRefusedException where it may not be executed
   */
  void pass(LogicalPlan plan, QueryExecution query, long execution, long root) {
    String known = refused.get(query);
    if (known != null) {
      throw new WriteRefusedException(known);
    }
    String reason = judged(plan, query, execution, root);
    if (reason != null) {
      refused.put(query, reason);
      throw new WriteRefusedException(reason);
    }
  }

  /** Whether any write may be refused. */
  boolean mayRefuse() {
    return settings.blocksUnjudged() || !questions.areFutile() && settings.blocks();
  }

  /**
   * Judges a command that is to replace a table, before the table is dropped.
   *
   * @throws WriteRefusedException where it may not be executed
   */
  synchronized void passBeforeDrop(LogicalPlan analysed, Object session) {
    String reason = outcome(questions.verdict(analysed, analysed, () -> frame(analysed, session, "")));
    if (reason != null) {
      throw new WriteRefusedException(reason);
    }
  }

  /** Refuses to replace a table: once it is dropped, to refuse the write would not bring it back. */
  void refuseBeforeDrop(String why) {
    throw new WriteRefusedException(
        NAME
            + " refused this write: on Spark 3.5 it cannot be judged before Spark drops the old table ("
            + why
            + "). To have it judged, use headwater_spark.configure before the session begins; or overwrite the table by"
            + " insertInto or INSERT OVERWRITE");
  }

  /** Notes an execution whose command was judged before it began. */
  synchronized void noteJudged(long execution) {
    judged.add(execution);
  }

  /**
   * Judges what a streaming query writes to its sink: once, before its first micro-batch, and again when it is started again.
   *
   * @throws WriteRefusedException where it may not be written
   */
  synchronized void passStream(Object query) {
    if (!streams.containsKey(query)) {
      streams.put(query, judgedStream(query));
    }
    String reason = streams.get(query);
    if (reason != null) {
      throw new WriteRefusedException(reason);
    }
  }

  /**
   * Says that what a streaming query writes cannot be judged, since it is not known which query it is.
   *
   * @throws WriteRefusedException where that may not be
   */
  void passHiddenStream() {
    String reason = unjudged("this version of Spark does not show what a streaming query writes");
    if (reason != null) {
      throw new WriteRefusedException(reason);
    }
  }

  private String judgedStream(Object query) {
    LogicalPlan plan = StreamingQueries.write(query);
    return outcome(questions.verdict(plan, plan, () -> frame(plan, Mirror.get(query, "sparkSession"), "")));
  }

  private synchronized String judged(LogicalPlan plan, QueryExecution query, long execution, long root) {
    if (judged.contains(execution) || judged.contains(root)) {
      return null;
    }
    Verdict verdict = questions.verdict(plan, query.analyzed(), () -> frame(plan, query));
    if (verdict.code != Verdict.NO_WRITE) {
      judged.add(execution);
    }
    return outcome(verdict);
  }

  /** Why the write may not be executed, or null; what does not refuse it is logged. */
  private String outcome(Verdict verdict) {
    switch (verdict.code) {
      case Verdict.NO_WRITE:
      case Verdict.ALLOWED:
        return null;
      case Verdict.WARNED:
        LOG.warn("{}: {}", NAME, verdict.text);
        return null;
      case Verdict.VIOLATED:
        return settings.blocks() ? NAME + " refused this write: " + verdict.text : logged(verdict.text);
      case Verdict.UNKNOWN:
        return unjudged("it is not known whether this write violates a policy: " + verdict.text);
      default:
        return unjudged("this write could not be judged: " + verdict.text);
    }
  }

  private String unjudged(String why) {
    String key = GateSettings.ON_ERROR;
    if (settings.blocksUnjudged()) {
      return NAME + " refused this write, as " + key + "=block says: " + why;
    }
    return logged(why + ". It goes on, as " + key + "=allow says");
  }

  private static String logged(String text) {
    LOG.warn("{}: {}", NAME, text);
    return null;
  }

  private byte[] introduction() {
    Json out = new Json(1 << 12);
    Application.of(SparkContext.getOrCreate(), conf).write(out);
    return out.toBytes();
  }

  /** The command as it was analysed; one that another plans while it is executed, as it is now, with the name of the other. */
  private byte[] frame(LogicalPlan plan, QueryExecution query) {
    LogicalPlan analysed = query.analyzed();
    boolean own = analysed.getClass() == plan.getClass();
    Object session = Mirror.get(query, "sparkSession");
    return own ? frame(analysed, session, "") : frame(plan, session, analysed.getClass().getSimpleName());
  }

  private byte[] frame(LogicalPlan plan, Object session, String within) {
    Json out = new Json(1 << 14);
    out.raw("{\"v\":1").field("kind", "write").field("values", handedOut || !knowsAll());
    out.field("within", within).field("stream", StreamingQueries.run(StreamingQueries.ofThread(session)));
    out.key("plan");
    PlanEncoder.encode(plan, session, out, new Settings(conf).planBytes());
    return out.raw("}").toBytes();
  }

  /** Whether all that Spark posts to its listeners is known here: actions on RDDs are seen by them alone. */
  private boolean knowsAll() {
    try {
      SparkContext.getOrCreate().listenerBus().waitUntilEmpty(BUS_MILLIS);
      return !handedOut;
    } catch (TimeoutException e) {
      return false;
    }
  }
}
