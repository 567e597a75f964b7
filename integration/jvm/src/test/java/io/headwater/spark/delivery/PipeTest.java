package io.headwater.spark.delivery;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.headwater.spark.document.Document;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class PipeTest {
  private static final String RECORDS = "cat > \"$(dirname \"$0\")/frames\"";
  private static final String HANGS = "exec sleep 600";

  @TempDir Path folder;

  /** A pipe to a shell script in the brain's place. */
  private Pipe pipe(String script, String... settings) throws IOException {
    Path brain = folder.resolve("brain");
    Files.write(brain, ("#!/bin/sh\n" + script + "\n").getBytes(StandardCharsets.UTF_8));
    assertTrue(brain.toFile().setExecutable(true));
    String[] all = new String[settings.length + 4];
    System.arraycopy(settings, 0, all, 0, settings.length);
    System.arraycopy(
        new String[] {"spark.headwater.python", brain.toString(), "spark.headwater.flush.timeout", "5s"},
        0, all, settings.length, 4);
    return new Pipe(SettingsTest.settings(all));
  }

  private static Document document(String json) {
    return out -> out.raw(json);
  }

  private static long millis(Runnable action) {
    long before = System.nanoTime();
    action.run();
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - before);
  }

  @Test
  void documents_arrive_in_order_each_behind_its_length() throws IOException {
    Pipe pipe = pipe(RECORDS);
    pipe.start();
    pipe.offer(document("{\"a\":1}"));
    pipe.offer(document("{}"));
    pipe.close(document("{\"last\":true}"));

    ByteArrayOutputStream expected = new ByteArrayOutputStream();
    DataOutputStream frames = new DataOutputStream(expected);
    for (String json : new String[] {"{\"a\":1}", "{}", "{\"last\":true}"}) {
      frames.writeInt(json.length());
      frames.writeBytes(json);
    }
    assertArrayEquals(expected.toByteArray(), Files.readAllBytes(folder.resolve("frames")));
    assertEquals(0, pipe.dropped());
  }

  @Test
  void what_does_not_fit_is_dropped_and_counted_at_once() throws Exception {
    Pipe pipe = pipe(RECORDS, "spark.headwater.queue.maxDocuments", "4");
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch free = new CountDownLatch(1);
    pipe.start();
    pipe.offer(out -> {
      begun.countDown();
      await(free);
      out.raw("{}");
    });
    begun.await();

    assertTrue(millis(() -> {
      for (int i = 0; i < 1_000; i++) {
        pipe.offer(document("{}"));
      }
    }) < 2_000);
    assertEquals(996, pipe.dropped());
    free.countDown();
    pipe.close(document("{}"));
    assertEquals(6 * 6, Files.size(folder.resolve("frames")));
  }

  @Test
  void bytes_are_bounded_where_the_brain_does_not_read() throws Exception {
    Pipe pipe = pipe(HANGS, "spark.headwater.queue.maxBytes", "1m", "spark.headwater.flush.timeout", "1s");
    pipe.start();
    char[] much = new char[400_000];
    java.util.Arrays.fill(much, 'x');
    Document large = out -> out.string(new String(much));
    for (int i = 0; i < 10; i++) {
      pipe.offer(large);
    }
    CountDownLatch encoded = new CountDownLatch(1);
    pipe.offer(out -> encoded.countDown());
    encoded.await();

    // One may be on its way to the brain, two are in the queue.
    assertTrue(pipe.dropped() >= 7, "dropped " + pipe.dropped());
  }

  @Test
  void a_brain_that_hangs_holds_the_end_no_longer_than_the_flush_timeout() throws IOException {
    Pipe pipe = pipe(HANGS);
    pipe.start();
    pipe.offer(document("{}"));

    assertTrue(millis(() -> pipe.close(document("{}"))) < 7_000);
  }

  @Test
  void without_a_brain_documents_are_dropped() throws Exception {
    Pipe pipe = new Pipe(SettingsTest.settings("spark.headwater.python", folder.resolve("none").toString()));
    pipe.start();
    for (int i = 0; i < 50 && pipe.dropped() == 0; i++) {
      pipe.offer(document("{}"));
      Thread.sleep(20);
    }
    pipe.close(document("{}"));

    assertTrue(pipe.dropped() > 0);
  }

  @Test
  void a_document_that_cannot_be_encoded_is_dropped_and_the_next_one_is_not() throws IOException {
    Pipe pipe = pipe(RECORDS);
    pipe.start();
    pipe.offer(out -> {
      throw new IllegalStateException("as a test");
    });
    pipe.offer(out -> {
      throw new NoClassDefFoundError("as a test");
    });
    pipe.close(document("{}"));

    assertEquals(2, pipe.dropped());
    assertEquals(6, Files.size(folder.resolve("frames")));
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
