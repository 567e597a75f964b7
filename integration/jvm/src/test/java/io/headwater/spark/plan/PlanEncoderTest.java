package io.headwater.spark.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.headwater.spark.PlanDocuments;
import io.headwater.spark.document.Json;
import io.headwater.spark.document.JsonTest;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.Except;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.junit.jupiter.api.Test;

/** Plans are Spark's own parser's: no session runs here. */
class PlanEncoderTest {
  private static final int ENOUGH = 1 << 24;

  private static Object parsed(String method, String text) {
    try {
      Class<?> companion = Class.forName("org.apache.spark.sql.catalyst.parser.CatalystSqlParser$");
      Object parser = companion.getField("MODULE$").get(null);
      return companion.getMethod(method, String.class).invoke(parser, text);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  private static LogicalPlan plan(String query) {
    return (LogicalPlan) parsed("parsePlan", query);
  }

  private static JsonNode encoded(LogicalPlan plan, int maxBytes) throws Exception {
    Json out = new Json(16);
    PlanEncoder.encode(plan, null, out, maxBytes);
    return JsonTest.read(out);
  }

  private static List<JsonNode> nodes(JsonNode document, String name) {
    List<JsonNode> found = new ArrayList<>();
    for (JsonNode node : document.get("nodes")) {
      if (document.get("classes").get(node.get("c").intValue()).get("name").textValue().equals(name)) {
        found.add(node);
      }
    }
    return found;
  }

  private static JsonNode field(JsonNode document, JsonNode node, String name) {
    JsonNode fields = document.get("classes").get(node.get("c").intValue()).get("fields");
    for (int i = 0; i < fields.size(); i++) {
      if (fields.get(i).textValue().equals(name)) {
        return node.get("a").get(i);
      }
    }
    throw new AssertionError(name + " is none of " + fields);
  }

  @Test
  void a_node_refers_to_earlier_ones_and_the_root_is_the_last() throws Exception {
    JsonNode document = encoded(plan("SELECT a + 1 AS b FROM t WHERE c IN (1, 2)"), ENOUGH);
    JsonNode nodes = document.get("nodes");

    assertEquals(nodes.size() - 1, document.get("root").intValue());
    assertFalse(document.get("truncated").booleanValue());
    for (int i = 0; i < nodes.size(); i++) {
      for (JsonNode reference : nodes.get(i).findValues("r")) {
        assertTrue(reference.intValue() < i);
      }
    }
  }

  @Test
  void fields_have_names_and_classes_their_sort() throws Exception {
    JsonNode document = encoded(plan("SELECT * FROM t WHERE a > 7"), ENOUGH);
    JsonNode filter = nodes(document, "Filter").get(0);
    JsonNode literal = nodes(document, "Literal").get(0);
    String sorts = document.get("classes").findValuesAsText("sort").toString();

    assertTrue(field(document, filter, "condition").has("r"));
    assertEquals(7, field(document, literal, "value").intValue());
    assertFalse(literal.has("t"), "a literal's type is among its fields");
    assertTrue(sorts.contains("plan") && sorts.contains("expression"), sorts);
  }

  @Test
  void what_is_shared_is_written_once() throws Exception {
    LogicalPlan shared = plan("SELECT a FROM t WHERE b = 'x'");
    Expression condition = (Expression) parsed("parseExpression", "a > 1");
    LogicalPlan one = new Filter(condition, shared);
    JsonNode document = encoded(new Except(one, new Filter(condition, shared), false), ENOUGH);

    assertEquals(3, nodes(document, "Filter").size());
    assertEquals(1, nodes(document, "Project").size());
    assertEquals(1, nodes(document, "GreaterThan").size());
  }

  @Test
  void depth_costs_no_stack() throws Exception {
    assertEquals(20_000, nodes(encoded(deep(20_000), ENOUGH), "Filter").size());
  }

  private static LogicalPlan deep(int filters) {
    LogicalPlan plan = plan("SELECT a FROM t");
    Expression condition = (Expression) parsed("parseExpression", "a > 1");
    for (int i = 0; i < filters; i++) {
      plan = new Filter(condition, plan);
    }
    return plan;
  }

  @Test
  void a_plan_beyond_the_bound_is_cut_and_marked() throws Exception {
    StringBuilder query = new StringBuilder("SELECT 0");
    for (int i = 0; i < 1_000; i++) {
      query.append(", a").append(i).append(" + 1");
    }
    LogicalPlan wide = plan(query + " FROM t");
    int whole = PlanDocuments.size(wide, ENOUGH);
    JsonNode document = encoded(wide, whole / 2);

    assertTrue(document.get("truncated").booleanValue());
    assertTrue(document.toString().contains("{\"cut\":true}"));
    assertTrue(PlanDocuments.size(wide, whole / 2) < 0.8 * whole);
  }

  @Test
  void a_plan_that_even_cut_is_twice_the_bound_is_refused() {
    LogicalPlan deep = deep(1_000);

    assertThrows(PlanTooLarge.class, () -> encoded(deep, 1 << 10));
  }

  @Test
  void long_literals_are_cut_and_credentials_in_a_plans_texts_hidden() throws Exception {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 10_000; i++) {
      text.append('x');
    }
    JsonNode long_ = encoded(plan("SELECT '" + text + "'"), ENOUGH);
    JsonNode read = encoded(plan("SELECT * FROM csv.`s3://ann:hunter2@b/p`"), ENOUGH);

    assertEquals(256, field(long_, nodes(long_, "Literal").get(0), "value").textValue().length());
    assertFalse(read.toString().contains("hunter2"));
    assertTrue(read.toString().contains("s3://***@b/p"), read.toString());
  }

  @Test
  void a_leaf_alone_has_no_columns() throws Exception {
    Json out = new Json(16);
    PlanEncoder.encodeLeaf(plan("VALUES (1, 2)"), out, ENOUGH);
    JsonNode document = JsonTest.read(out);

    assertEquals(1, document.get("nodes").size());
    assertFalse(document.get("nodes").get(0).has("out"));
  }
}
