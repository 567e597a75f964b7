package io.headwater.spark.data;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WholeOfDataTest {
  private static final String MODEL = "{\"class\":\"org.apache.spark.ml.PipelineModel\",\"uid\":\"a\"}";

  @TempDir java.nio.file.Path folder;

  @Test
  void a_table_of_iceberg_is_known_by_its_metadata() throws IOException {
    write("t/metadata/v1.metadata.json", "{}");
    assertEquals("t", whole("t/data"));
  }

  @Test
  void a_model_is_known_by_its_metadata_and_the_outermost_counts() throws IOException {
    write("m/metadata/part-00000", MODEL);
    write("m/stages/0_words/metadata/part-00000", MODEL);
    assertEquals("m", whole("m/stages/0_words/data"));
    assertEquals("m", whole("m/data"));
  }

  @Test
  void other_folders_of_these_names_are_datasets_of_their_own() throws IOException {
    write("export/metadata/part-00000", "{\"class\":\"mine\"}");
    write("empty/metadata/_SUCCESS", "");
    write("short/metadata/part-00000", "{");
    for (String name : new String[] {"export/data", "empty/data", "short/data", "none/data", "export/rows"}) {
      assertEquals(name, whole(name));
    }
  }

  private void write(String name, String text) throws IOException {
    java.nio.file.Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    Files.write(file, text.getBytes(StandardCharsets.UTF_8));
  }

  private String whole(String name) {
    Path found = WholeOfData.of(new Path(folder.resolve(name).toUri()), new Configuration());
    return folder.relativize(java.nio.file.Paths.get(found.toUri().getPath())).toString();
  }
}
