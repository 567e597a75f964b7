package io.headwater.spark.gate;

import io.headwater.spark.delivery.Settings;
import java.util.Locale;
import org.apache.spark.SparkConf;

/** The gate's settings, as the application was started with them: a job cannot change them in its session. */
final class GateSettings {
  static final String ON_ERROR = "spark.headwater.gate.onError";

  private static final String GATE = "spark.headwater.gate";
  private static final String POLICIES = "spark.headwater.gate.policies";
  private static final String TIMEOUT = "spark.headwater.gate.timeout";
  private static final long TIMEOUT_SECONDS = 60;

  private final SparkConf conf;

  GateSettings(SparkConf conf) {
    this.conf = conf;
  }

  /** Whether a gate is asked for; a value that cannot be read asks for one. */
  boolean isOn() {
    return new Settings(conf).enabled() && !text(GATE, "off").equals("off");
  }

  boolean blocks() {
    return text(GATE, "off").equals("block");
  }

  /** Whether a write is refused on which there is no verdict. */
  boolean blocksUnjudged() {
    return !text(ON_ERROR, "allow").equals("allow");
  }

  /** What of the settings cannot be used, or null. */
  String error() {
    String gate = text(GATE, "off");
    if (!gate.equals("warn") && !gate.equals("block")) {
      return GATE + "=" + gate + ": off, warn or block";
    }
    String onError = text(ON_ERROR, "allow");
    if (!onError.equals("allow") && !onError.equals("block")) {
      return ON_ERROR + "=" + onError + ": allow or block";
    }
    return text(POLICIES, "").isEmpty() ? POLICIES + " names no file" : null;
  }

  String python() {
    return new Settings(conf).python();
  }

  long millis() {
    try {
      return 1_000 * conf.getTimeAsSeconds(TIMEOUT, TIMEOUT_SECONDS + "s");
    } catch (RuntimeException e) {
      return 1_000 * TIMEOUT_SECONDS;
    }
  }

  private String text(String key, String fallback) {
    String value = conf.get(key, fallback).trim().toLowerCase(Locale.ROOT);
    return value.isEmpty() ? fallback : value;
  }
}
