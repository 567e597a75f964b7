package io.headwater.spark.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.headwater.spark.document.Json;
import io.headwater.spark.document.JsonTest;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class OptionsTest {
  private static Map<String, String> options() {
    Map<String, String> options = new TreeMap<>();
    options.put("Path", "/in");
    options.put("password", "hunter2");
    options.put("url", "jdbc:x://ann:hunter2@db/shop");
    options.put("SEP", "|");
    return options;
  }

  private static String written(String field, Object map) throws Exception {
    Json out = new Json(16);
    Options.write(field, map, out);
    return JsonTest.read(out).toString();
  }

  @Test
  void only_options_that_name_places_leave_without_credentials() throws Exception {
    String shown = written("options", options());

    assertFalse(shown.contains("hunter2"), shown);
    assertEquals("{\"m\":[[\"Path\",\"/in\"],[\"SEP\",\"|\"],[\"url\",\"jdbc:x://***@db/shop\"]]}", shown);
  }

  @Test
  void names_of_columns_that_hold_all_of_a_parsed_text_leave() throws Exception {
    Map<String, String> named = new TreeMap<>();
    named.put("columnNameOfCorruptRecord", "bad");

    assertEquals("{\"m\":[[\"columnNameOfCorruptRecord\",\"bad\"]]}", written("options", named));
  }

  @Test
  void texts_that_stand_in_what_is_written_are_for_the_brain() throws Exception {
    Map<String, String> given = new TreeMap<>();
    given.put("nullValue", "none");
    given.put("comment", "#");

    assertEquals("{\"m\":[[\"comment\",\"\"],[\"nullValue\",\"none\"]]}", written("options", given));
  }

  @Test
  void a_partition_specification_is_whole() throws Exception {
    Map<String, Object> day = new TreeMap<>();
    day.put("day", scala.Option.apply("2024-01-01"));
    day.put("hour", scala.Option.empty());

    assertEquals("{\"m\":[[\"day\",\"2024-01-01\"],[\"hour\",null]]}", written("staticPartitions", day));
  }

  @Test
  void of_files_whose_places_are_known_only_the_layout_is_written() throws Exception {
    Json out = new Json(16);
    Options.writeLayout(options(), out);

    assertEquals("{\"m\":[[\"SEP\",\"|\"]]}", JsonTest.read(out).toString());
  }
}
