package io.headwater.spark.delivery;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MarkerTest {
  private static long files(Path folder) throws IOException {
    try (Stream<Path> found = Files.list(folder)) {
      return found.count();
    }
  }

  @Test
  void there_is_one_file_until_it_is_removed(@TempDir Path folder) throws IOException {
    Marker marker = new Marker(folder.toString());
    marker.create();
    marker.create();
    assertEquals(1, files(folder));
    marker.remove();
    marker.remove();
    assertEquals(0, files(folder));
  }

  @Test
  void a_directory_that_cannot_be_written_is_not_felt(@TempDir Path folder) {
    Marker marker = new Marker(folder.resolve("missing").toString());
    marker.create();
    marker.remove();
  }

  @Test
  void without_a_directory_nothing_is_done() {
    Marker marker = new Marker(null);
    marker.create();
    marker.remove();
  }
}
