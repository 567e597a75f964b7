package io.headwater.spark.document;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

public class JsonTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  public static JsonNode read(Json out) throws Exception {
    return JSON.readTree(out.toBytes());
  }

  private static String text(Json out) {
    return new String(out.toBytes(), StandardCharsets.UTF_8);
  }

  @Test
  void members_are_separated_by_commas() {
    Json out = new Json(1).raw("{").field("a", 1).field("b", (String) null).field("c", true);
    out.key("d").raw("[").next().number(-5);
    out.next().string("x").raw("]}");

    assertEquals("{\"a\":1,\"b\":null,\"c\":true,\"d\":[-5,\"x\"]}", text(out));
  }

  @Test
  void every_character_comes_back() throws Exception {
    StringBuilder all = new StringBuilder();
    for (int point = 0; point < 0x11000; point++) {
      if (point < 0xD800 || point > 0xDFFF) {
        all.appendCodePoint(point);
      }
    }
    Json out = new Json(1).string(all.toString());

    assertEquals(all.toString(), read(out).textValue());
  }

  @Test
  void a_lone_surrogate_becomes_a_question_mark() throws Exception {
    assertEquals("a?b?", read(new Json(1).string("a\uD800b\uDC00")).textValue());
    assertEquals("a?", read(new Json(1).string("a\uD83D\uDE00", 2)).textValue());
  }

  @Test
  void a_text_is_cut_to_its_limit() throws Exception {
    assertEquals("abc", read(new Json(1).string("abcdef", 3)).textValue());
  }

  @Test
  void what_was_truncated_is_gone() {
    Json out = new Json(1).raw("[");
    int before = out.size();
    out.next().string("half");
    out.truncate(before);
    out.next().number(1).raw("]");

    assertEquals("[1]", text(out));
  }
}
