package io.headwater.spark.delivery;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkConf;

/** The eye's own settings, with what holds when a value is missing or cannot be read. */
public final class Settings {
  private final SparkConf conf;

  public Settings(SparkConf conf) {
    this.conf = conf;
  }

  /** {@code spark.headwater.enabled=false} or {@code spark.openlineage.disabled=true} switch the eye off. */
  public boolean enabled() {
    return !"false".equalsIgnoreCase(text("spark.headwater.enabled", "true").trim())
        && !"true".equalsIgnoreCase(text("spark.openlineage.disabled", "false").trim());
  }

  /** How long the end of the application may wait for the brain, in milliseconds. */
  public long flushMillis() {
    return millis("spark.headwater.flush.timeout", 10);
  }

  /** How long a brain that works may go on by itself when nobody waits for it any more, in milliseconds. */
  long lingerMillis() {
    return millis("spark.headwater.linger.timeout", 120);
  }

  /** Whether accesses by actions on RDDs are reported: all reads are asked for, or those that hand values to the program. */
  public boolean accesses() {
    return "true".equalsIgnoreCase(text("spark.headwater.access.enabled", "false").trim())
        || !"false".equalsIgnoreCase(text("spark.headwater.access.driver.enabled", "true").trim());
  }

  public int planBytes() {
    return size("spark.headwater.plan.maxBytes", 8 << 20);
  }

  int queueBytes() {
    return size("spark.headwater.queue.maxBytes", 16 << 20);
  }

  int queueDocuments() {
    try {
      return Math.max(1, conf.getInt("spark.headwater.queue.maxDocuments", 512));
    } catch (RuntimeException e) {
      return 512;
    }
  }

  /** A directory with a file in it while the eye still has something to deliver, or null. */
  public String marker() {
    return text("spark.headwater.marker", null);
  }

  /** A file to which each document is also appended, a line each, or null. */
  String capture() {
    return text("spark.headwater.capture.file", System.getenv("HEADWATER_CAPTURE"));
  }

  /** The interpreter for the brain: the own key, then where Spark would look for the driver's Python. */
  public String python() {
    List<String> candidates = new ArrayList<>();
    candidates.add(text("spark.headwater.python", null));
    candidates.add(text("spark.pyspark.driver.python", null));
    candidates.add(text("spark.pyspark.python", null));
    candidates.add(System.getenv("PYSPARK_DRIVER_PYTHON"));
    candidates.add(System.getenv("PYSPARK_PYTHON"));
    for (String candidate : candidates) {
      if (candidate != null && !candidate.trim().isEmpty() && !isNotebook(candidate)) {
        return candidate.trim();
      }
    }
    return "python3";
  }

  private static boolean isNotebook(String python) {
    String name = python.trim().substring(python.trim().lastIndexOf('/') + 1);
    return name.startsWith("ipython") || name.startsWith("jupyter");
  }

  private long millis(String key, long fallbackSeconds) {
    try {
      return TimeUnit.SECONDS.toMillis(conf.getTimeAsSeconds(key, fallbackSeconds + "s"));
    } catch (RuntimeException e) {
      return TimeUnit.SECONDS.toMillis(fallbackSeconds);
    }
  }

  private int size(String key, int fallback) {
    try {
      return (int) Math.min(1 << 30, Math.max(1 << 10, conf.getSizeAsBytes(key, fallback + "b")));
    } catch (RuntimeException e) {
      return fallback;
    }
  }

  private String text(String key, String fallback) {
    return conf.contains(key) ? conf.get(key) : fallback;
  }
}
