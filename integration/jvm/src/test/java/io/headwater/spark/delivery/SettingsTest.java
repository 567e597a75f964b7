package io.headwater.spark.delivery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;

class SettingsTest {
  static Settings settings(String... pairs) {
    SparkConf conf = new SparkConf(false);
    for (int i = 0; i < pairs.length; i += 2) {
      conf.set(pairs[i], pairs[i + 1]);
    }
    return new Settings(conf);
  }

  @Test
  void either_key_switches_the_eye_off() {
    assertTrue(settings().enabled());
    assertFalse(settings("spark.headwater.enabled", " False ").enabled());
    assertFalse(settings("spark.openlineage.disabled", "TRUE").enabled());
  }

  @Test
  void a_value_that_cannot_be_read_is_the_default() {
    assertEquals(10_000, settings("spark.headwater.flush.timeout", "soon").flushMillis());
    assertEquals(8 << 20, settings("spark.headwater.plan.maxBytes", "much").planBytes());
    assertEquals(512, settings("spark.headwater.queue.maxDocuments", "many").queueDocuments());
  }

  @Test
  void values_have_units_and_bounds() {
    assertEquals(2_000, settings("spark.headwater.flush.timeout", "2").flushMillis());
    assertEquals(3 << 20, settings("spark.headwater.plan.maxBytes", "3m").planBytes());
    assertEquals(1 << 10, settings("spark.headwater.plan.maxBytes", "1b").planBytes());
    assertEquals(1 << 30, settings("spark.headwater.queue.maxBytes", "9g").queueBytes());
    assertEquals(1, settings("spark.headwater.queue.maxDocuments", "-4").queueDocuments());
  }

  @Test
  void actions_count_where_either_kind_of_access_is_reported() {
    assertTrue(settings().accesses());
    assertFalse(settings("spark.headwater.access.driver.enabled", "false").accesses());
    assertTrue(settings("spark.headwater.access.driver.enabled", "false", "spark.headwater.access.enabled", "true")
        .accesses());
  }

  @Test
  void the_brains_python_is_the_own_key_then_sparks() {
    assertEquals("/a", settings("spark.headwater.python", " /a ", "spark.pyspark.python", "/b").python());
    assertEquals("/c", settings("spark.pyspark.python", "/b", "spark.pyspark.driver.python", "/c").python());
    assertEquals("/b", settings("spark.pyspark.driver.python", "/x/jupyter-lab", "spark.pyspark.python", "/b").python());
  }
}
