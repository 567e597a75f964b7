package io.headwater.spark.delivery;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The file of {@code spark.headwater.capture.file}, a document a line. When it cannot be written, capturing ends: nothing else does. */
final class Capture implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger("io.headwater.spark");

  private final String path;
  private OutputStream file;

  private Capture(String path) {
    this.path = path;
  }

  /** Captures nothing when the path is null. */
  static Capture to(String path) {
    Capture capture = new Capture(path);
    if (path != null) {
      capture.attempt(() -> capture.file = new FileOutputStream(path, true));
    }
    return capture;
  }

  boolean isOn() {
    return file != null;
  }

  void write(byte[] document) {
    if (file != null) {
      attempt(
          () -> {
            file.write(document);
            file.write('\n');
            file.flush();
          });
    }
  }

  @Override
  public void close() {
    OutputStream open = file;
    file = null;
    if (open != null) {
      attempt(open::close);
    }
  }

  private void attempt(Action action) {
    try {
      action.run();
    } catch (IOException | RuntimeException e) {
      LOG.warn("Headwater captures no more documents to {} ({}); lineage goes on", path, e.toString());
      close();
    }
  }

  private interface Action {
    void run() throws IOException;
  }
}
