package io.headwater.spark.delivery;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file in a given directory, named {@code pid@host}, that exists while the eye still has something to deliver:
 * a launcher can wait for it to go.
 */
public final class Marker {
  private static final Logger LOG = LoggerFactory.getLogger("io.headwater.spark");

  private final Path path;

  /** Does nothing when the directory is null. */
  public Marker(String directory) {
    this.path = directory == null ? null : Paths.get(directory, ManagementFactory.getRuntimeMXBean().getName());
  }

  public void create() {
    change(true);
  }

  public void remove() {
    change(false);
  }

  private void change(boolean present) {
    try {
      if (path != null && present) {
        Files.write(path, new byte[0]);
      } else if (path != null) {
        Files.deleteIfExists(path);
      }
    } catch (IOException | RuntimeException e) {
      LOG.debug("Headwater cannot change {}", path, e);
    }
  }
}
