package io.headwater.spark.gate;

import java.util.concurrent.Callable;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the gate asks its judge, which is introduced to the application when it is started. Of a judge that has
 * failed nothing more is asked: it has lost what was written before. What writes nothing needs no judge to go on.
 */
final class Questions {
  private static final Logger LOG = LoggerFactory.getLogger("io.headwater.spark");

  private final GateSettings settings;
  private final Callable<byte[]> introduction;
  private volatile Judge judge;
  private volatile boolean ended;
  private String broken;

  Questions(GateSettings settings, Callable<byte[]> introduction) {
    this.settings = settings;
    this.introduction = introduction;
    this.broken = settings.error();
  }

  /** Whether no verdict can be had any more. */
  boolean areFutile() {
    return broken != null;
  }

  /** The verdict on a command, of which the frame tells the judge, and which may be planned for another one, the outer. */
  Verdict verdict(LogicalPlan command, LogicalPlan outer, Callable<byte[]> frame) {
    Verdict verdict = answer(frame);
    boolean unjudged = verdict.code == Verdict.FAILED;
    boolean harmless = unjudged && (WritesNothing.is(command) || WritesNothing.is(outer));
    return harmless ? new Verdict(Verdict.NO_WRITE, "") : verdict;
  }

  /** Starts the judge, who loads what it needs, before there is a question. */
  void prepare() {
    judged(() -> {
      started();
      return null;
    });
  }

  private Verdict answer(Callable<byte[]> frame) {
    return judged(() -> started().ask(frame.call(), settings.millis()));
  }

  private Verdict judged(Callable<Verdict> question) {
    if (broken != null) {
      return new Verdict(Verdict.FAILED, broken);
    }
    try {
      return question.call();
    } catch (Exception | LinkageError | StackOverflowError | OutOfMemoryError e) {
      LOG.info("Headwater's gate has failed", e);
      broken = "the gate has failed (" + e.getMessage() + ")";
      end();
      return new Verdict(Verdict.FAILED, broken);
    }
  }

  private Judge started() throws Exception {
    if (judge == null) {
      judge = Judge.start(settings.python());
      if (ended) { // while it started
        judge.stop();
      }
      judge.ask(introduction.call(), settings.millis());
    }
    return judge;
  }

  void end() {
    ended = true;
    Judge started = judge;
    if (started != null) {
      started.stop();
    }
  }
}
