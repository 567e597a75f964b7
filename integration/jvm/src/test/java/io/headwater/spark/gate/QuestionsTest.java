package io.headwater.spark.gate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.OneRowRelation;
import org.apache.spark.sql.execution.command.DescribeQueryCommand;
import org.apache.spark.sql.execution.command.ResetCommand;
import org.apache.spark.sql.execution.command.SetCommand;
import org.apache.spark.sql.execution.command.ShowCatalogsCommand;
import org.apache.spark.sql.execution.datasources.SaveIntoDataSourceCommand;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import scala.Option;

@Timeout(60)
class QuestionsTest {
  private static final LogicalPlan ROWS = new OneRowRelation();
  private static final LogicalPlan WRITE =
      new SaveIntoDataSourceCommand(ROWS, null, scala.collection.immutable.Map$.MODULE$.empty(), SaveMode.Append);
  private static final LogicalPlan SET = new SetCommand(Option.empty());
  private static final LogicalPlan[] WITHOUT_DATA = {
    SET, new ResetCommand(Option.empty()), new ShowCatalogsCommand(Option.empty()), new DescribeQueryCommand("", ROWS)
  };

  /** The first answer is to the introduction. */
  private static final String NO_WRITE = "printf 'N\\0\\0\\0\\0'\n";

  private static final String VIOLATED = "printf 'V\\0\\0\\0\\005mails'\n";
  private static final String HANGS = "exec sleep 600\n";

  @TempDir Path folder;

  /** Questions to a shell script in the judge's place. */
  private Questions questions(String script, String... settings) throws IOException {
    Path judge = folder.resolve("judge");
    Files.write(judge, ("#!/bin/sh\necho started >> $0.starts\n" + script).getBytes(StandardCharsets.UTF_8));
    assertTrue(judge.toFile().setExecutable(true));
    SparkConf conf = new SparkConf(false);
    conf.set("spark.headwater.python", judge.toString()).set("spark.headwater.gate", "block");
    conf.set("spark.headwater.gate.policies", "policies.yaml");
    for (int i = 0; i < settings.length; i += 2) {
      conf.set(settings[i], settings[i + 1]);
    }
    return new Questions(new GateSettings(conf), () -> "{}".getBytes(StandardCharsets.UTF_8));
  }

  private static Verdict verdict(Questions questions, LogicalPlan command) {
    return questions.verdict(command, command, () -> "{}".getBytes(StandardCharsets.UTF_8));
  }

  private static void assertFailed(Questions questions, String why) {
    Verdict write = verdict(questions, WRITE);
    assertEquals(Verdict.FAILED, write.code);
    assertTrue(write.text.contains(why), write.text);
    assertTrue(questions.areFutile());
    for (LogicalPlan command : WITHOUT_DATA) {
      assertEquals(Verdict.NO_WRITE, verdict(questions, command).code, command.getClass().getName());
      assertEquals(Verdict.NO_WRITE, questions.verdict(WRITE, command, () -> new byte[0]).code);
    }
    assertEquals(Verdict.FAILED, verdict(questions, WRITE).code);
  }

  @Test
  void the_judges_word_counts_while_it_answers() throws IOException {
    Questions questions = questions(NO_WRITE + NO_WRITE + VIOLATED + VIOLATED + HANGS);

    assertEquals(Verdict.NO_WRITE, verdict(questions, SET).code);
    assertEquals("mails", verdict(questions, WRITE).text);
    assertEquals(Verdict.VIOLATED, verdict(questions, SET).code);
    assertFalse(questions.areFutile());
    questions.end();
  }

  @Test
  void a_judge_that_ends_leaves_writes_without_a_verdict_and_is_not_asked_again() throws IOException {
    assertFailed(questions(NO_WRITE + "echo out of memory >&2; sleep 0.2; exit 1\n"), "out of memory");
    assertEquals(1, Files.readAllLines(folder.resolve("judge.starts")).size());
  }

  @Test
  void a_judge_that_hangs_holds_a_write_no_longer_than_the_timeout() throws IOException {
    Questions questions = questions(NO_WRITE + HANGS, "spark.headwater.gate.timeout", "1s");

    long before = System.nanoTime();
    assertFailed(questions, "it gave no answer in 1000 ms");
    assertTrue(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - before) < 10_000);
  }

  @Test
  void who_is_interrupted_has_the_verdict_and_stays_interrupted() throws IOException {
    Questions questions = questions(NO_WRITE + "sleep 0.2\n" + VIOLATED + VIOLATED + HANGS);

    Thread.currentThread().interrupt();
    assertEquals(Verdict.VIOLATED, verdict(questions, WRITE).code);
    assertTrue(Thread.interrupted());
    assertEquals(Verdict.VIOLATED, verdict(questions, WRITE).code);
    questions.end();
  }

  @Test
  void a_judge_that_does_not_start_leaves_writes_without_a_verdict() throws IOException {
    assertFailed(questions("", "spark.headwater.python", folder.resolve("none").toString()), "none");
  }

  @Test
  void settings_that_cannot_be_used_leave_writes_without_a_verdict() throws IOException {
    assertFailed(questions("", "spark.headwater.gate", "blok"), "spark.headwater.gate=blok: off, warn or block");
  }

  @Test
  void a_failure_that_the_judge_tells_of_holds_back_writes_alone() throws IOException {
    String failed = "printf 'F\\0\\0\\0\\002no'\n";
    Questions questions = questions(NO_WRITE + failed + failed + HANGS);

    assertEquals(Verdict.NO_WRITE, verdict(questions, SET).code);
    assertEquals("no", verdict(questions, WRITE).text);
    assertFalse(questions.areFutile());
    questions.end();
  }

  @Test
  void what_cannot_be_asked_has_no_verdict() throws IOException {
    Questions questions = questions(NO_WRITE + HANGS);

    Verdict verdict =
        questions.verdict(
            WRITE,
            WRITE,
            () -> {
              throw new IllegalStateException("no plan");
            });
    assertEquals(Verdict.FAILED, verdict.code);
    assertTrue(verdict.text.contains("no plan"), verdict.text);
  }
}
