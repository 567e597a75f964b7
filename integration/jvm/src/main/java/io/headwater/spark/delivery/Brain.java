package io.headwater.spark.delivery;

import java.io.BufferedReader;
import java.io.DataOutputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Python process that turns plan documents into events. Frames on its standard input are a big-endian
 * length of 4 bytes and that many bytes of JSON; the end of the input is the end of the application. What it prints
 * on standard error goes to Spark's log, at most {@link #MAX_LINES} lines a minute. On standard output it says that it
 * reads, and nothing else.
 */
final class Brain {
  private static final Logger LOG = LoggerFactory.getLogger("io.headwater.spark");
  private static final int MAX_LINES = 60;
  private static final int MAX_LINE = 2_000;
  private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);
  private static final long GRACE_MILLIS = 1_000;
  private static final String READS = "ready";

  private final Process process;
  private final DataOutputStream input;
  private final Thread errors;
  private volatile String lastLine = "";
  private volatile boolean reads;

  private Brain(Process process) {
    this.process = process;
    this.input = new DataOutputStream(new BufferedOutputStream(process.getOutputStream(), 1 << 16));
    this.errors = drain("headwater-brain-stderr", process.getErrorStream(), this::log);
    drain("headwater-brain-stdout", process.getInputStream(), line -> reads |= READS.equals(line));
  }

  /**
   * Starts the interpreter. PYTHONSAFEPATH keeps the job's working directory, and modules in it that happen to
   * have a standard module's name, out of the brain's import path (Python 3.11 and later).
   *
   * @param leaveMillis after that time from the end of its input on, the brain leaves whatever it is doing
   * @throws IOException when there is no such program or it may not be executed
   */
  static Brain start(String python, long leaveMillis) throws IOException {
    String leaveAfter = String.valueOf(TimeUnit.MILLISECONDS.toSeconds(leaveMillis));
    ProcessBuilder builder =
        new ProcessBuilder(python, "-m", "headwater_spark.brain", "--leave-after", leaveAfter);
    builder.environment().putIfAbsent("PYTHONSAFEPATH", "1");
    return new Brain(builder.start());
  }

  void send(byte[] frame) throws IOException {
    input.writeInt(frame.length);
    input.write(frame);
    input.flush();
  }

  /** Ends the input and waits for the brain to leave; false when it has not after the given time. */
  boolean finish(long millis) throws InterruptedException {
    try {
      input.close();
    } catch (IOException e) {
      LOG.debug("Headwater's brain had closed its input", e);
    }
    return process.waitFor(millis, TimeUnit.MILLISECONDS);
  }

  /**
   * Asks the brain to leave, and after the given time makes it. After its signal a Process closes its input, which waits for a
   * write to a brain that does not read: hence a thread for each, and nobody waits for it.
   */
  void stop(long millis) {
    aside("headwater-brain-stop", process::destroy);
    try {
      if (!process.waitFor(millis, TimeUnit.MILLISECONDS)) {
        aside("headwater-brain-kill", process::destroyForcibly);
      }
    } catch (InterruptedException e) {
      aside("headwater-brain-kill", process::destroyForcibly);
      Thread.currentThread().interrupt();
    }
  }

  /** "exit code 1: No module named …", as far as it is known within a second. */
  String ending() {
    try {
      if (!process.waitFor(GRACE_MILLIS, TimeUnit.MILLISECONDS)) {
        return "it closed its input";
      }
      errors.join(GRACE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "unknown";
    }
    String code = "exit code " + process.exitValue();
    return lastLine.isEmpty() ? code : code + ": " + lastLine;
  }

  /** Whether it runs and has begun to read, so that it knows the time after which it leaves. */
  boolean isWorking() {
    return reads && process.isAlive();
  }

  boolean failed() {
    return !process.isAlive() && process.exitValue() != 0;
  }

  private Thread drain(String name, InputStream stream, Consumer<String> action) {
    return aside(name, () -> read(stream, action));
  }

  private static Thread aside(String name, Runnable action) {
    Thread thread = new Thread(action, name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private void read(InputStream stream, Consumer<String> action) {
    long window = System.nanoTime();
    int lines = 0;
    try (BufferedReader reader = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        if (System.nanoTime() - window > MINUTE) {
          summarise(lines);
          window = System.nanoTime();
          lines = 0;
        }
        if (++lines <= MAX_LINES) {
          action.accept(line.length() > MAX_LINE ? line.substring(0, MAX_LINE) : line);
        }
      }
    } catch (IOException e) {
      LOG.debug("Headwater's brain closed its output", e);
    }
    summarise(lines);
  }

  private static void summarise(int lines) {
    if (lines > MAX_LINES) {
      LOG.warn("Headwater's brain printed {} more lines, which are not shown", lines - MAX_LINES);
    }
  }

  private void log(String line) {
    if (line.trim().isEmpty()) {
      return;
    }
    lastLine = line;
    if (line.startsWith("WARN") || line.startsWith("ERROR") || line.startsWith("CRITICAL")) {
      LOG.warn("Headwater: {}", line);
    } else {
      LOG.info("Headwater: {}", line);
    }
  }
}
