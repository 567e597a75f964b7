package io.headwater.spark.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.headwater.spark.document.Json;
import io.headwater.spark.document.JsonTest;
import org.junit.jupiter.api.Test;

class EndingTest {
  private static String written(Object code) throws Exception {
    Json out = new Json(16).raw("{");
    Ending.write(code, out);
    return JsonTest.read(out.raw("}")).toString();
  }

  @Test
  void an_exit_code_is_given_where_it_means_something() throws Exception {
    assertEquals("{\"exitCode\":3}", written(3));
    assertEquals("{}", written(0));
    assertEquals("{}", written(null));
  }

  @Test
  void a_thread_that_handles_a_signal_shows_it() throws Exception {
    java.util.concurrent.CountDownLatch free = new java.util.concurrent.CountDownLatch(1);
    Thread handler = new Thread(() -> {
      try {
        free.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }, "SIGTERM handler");
    handler.start();
    try {
      assertEquals("{\"signal\":\"SIGTERM\"}", written(null));
    } finally {
      free.countDown();
      handler.join();
    }
  }
}
