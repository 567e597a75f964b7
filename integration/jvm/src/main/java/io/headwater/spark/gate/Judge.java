package io.headwater.spark.gate;

import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The process that judges. Frames on its standard input are a big-endian length of 4 bytes and that many bytes of JSON; each is
 * answered on its standard output by the verdict's byte, a length and a text in UTF-8. Its standard error goes to Spark's log.
 */
final class Judge {
  private static final Logger LOG = LoggerFactory.getLogger("io.headwater.spark");
  private static final int LONGEST = 1 << 24;

  private final Process process;
  private final DataOutputStream input;
  private final DataInputStream output;
  private final ExecutorService asking = Executors.newSingleThreadExecutor(task -> daemon("headwater-gate", task));
  private volatile String lastLine = "";

  private Judge(Process process) {
    this.process = process;
    this.input = new DataOutputStream(new BufferedOutputStream(process.getOutputStream(), 1 << 16));
    this.output = new DataInputStream(process.getInputStream());
    daemon("headwater-gate-stderr", this::drain).start();
  }

  /**
   * Starts the interpreter; its import path is without the job's working directory, as the brain's is.
   *
   * @throws IOException when there is no such program or it may not be executed
   */
  static Judge start(String python) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(python, "-m", "headwater_cli.boundary.gate");
    builder.environment().putIfAbsent("PYTHONSAFEPATH", "1");
    return new Judge(builder.start());
  }

  /**
   * The verdict on a frame. Whoever is interrupted meanwhile has it all the same, and stays interrupted: a job that is cancelled
   * says nothing of the judge.
   *
   * @throws IOException when the process has ended, answers otherwise than agreed, or not in this time
   */
  Verdict ask(byte[] frame, long millis) throws IOException {
    Future<Verdict> answer = asking.submit(() -> exchange(frame));
    long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return answer.get(until - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } catch (TimeoutException e) {
      throw new IOException("it gave no answer in " + millis + " ms", e);
    } catch (ExecutionException e) {
      throw new IOException("its process ended" + (lastLine.isEmpty() ? "" : ": " + lastLine), e.getCause());
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private Verdict exchange(byte[] frame) throws IOException {
    input.writeInt(frame.length);
    input.write(frame);
    input.flush();
    char code = (char) output.readUnsignedByte();
    int length = output.readInt();
    if (length < 0 || length > LONGEST) {
      throw new IOException("an answer of " + length + " bytes");
    }
    byte[] text = new byte[length];
    output.readFully(text);
    return new Verdict(code, new String(text, StandardCharsets.UTF_8));
  }

  void stop() {
    asking.shutdownNow();
    daemon("headwater-gate-stop", process::destroyForcibly).start();
  }

  private void drain() {
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (!line.trim().isEmpty()) {
          lastLine = line;
          LOG.info("Headwater's gate: {}", line);
        }
      }
    } catch (IOException e) {
      LOG.debug("Headwater's gate closed its output", e);
    }
  }

  private static Thread daemon(String name, Runnable body) {
    Thread thread = new Thread(body, name);
    thread.setDaemon(true);
    return thread;
  }
}
