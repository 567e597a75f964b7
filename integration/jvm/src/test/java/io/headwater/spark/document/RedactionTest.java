package io.headwater.spark.document;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Paths;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;

/** The same texts as the brain's own redaction is tested with: {@code headwater.test.redaction} names their file. */
class RedactionTest {
  private static JsonNode texts(String sort) throws Exception {
    return new ObjectMapper().readTree(Paths.get(System.getProperty("headwater.test.redaction")).toFile()).get(sort);
  }

  @Test
  void credentials_are_taken_out() throws Exception {
    String secret = texts("secret").textValue();
    for (JsonNode text : texts("nasty")) {
      String shown = Redaction.url(text.textValue());
      assertFalse(shown.contains(secret), shown);
      assertTrue(shown.contains("***"), shown);
    }
  }

  @Test
  void a_text_without_credentials_stays() throws Exception {
    for (JsonNode text : texts("harmless")) {
      assertEquals(text.textValue(), Redaction.url(text.textValue()));
    }
  }

  @Test
  void a_long_text_that_may_hold_some_is_cut() {
    StringBuilder text = new StringBuilder("password=hunter2 ");
    while (text.length() < 200_000) {
      text.append("and so on ");
    }

    assertTrue(Redaction.url(text.toString()).length() <= 100_010);
  }
}
