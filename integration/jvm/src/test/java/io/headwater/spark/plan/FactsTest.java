package io.headwater.spark.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.headwater.spark.document.Json;
import io.headwater.spark.document.JsonTest;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import scala.Option;

class FactsTest {
  /** A table as a connector may bring one. */
  public static class Plain implements Table {
    @Override
    public String name() {
      return "lake.db.t";
    }

    @Override
    public StructType schema() {
      return new StructType().add("secret", "string");
    }

    @Override
    public Set<TableCapability> capabilities() {
      return Collections.emptySet();
    }

    @Override
    public Map<String, String> properties() {
      Map<String, String> properties = new HashMap<>();
      properties.put("location", "s3://ann:hunter2@b/t");
      properties.put("provider", "shop");
      properties.put("token", "hunter3");
      return properties;
    }
  }

  /** One that Spark lays around another. */
  public static final class Wrapping extends Plain {
    public Table table() {
      return new Plain();
    }
  }

  /** One that may not be asked for some things, as the streaming sinks of the first generation. */
  public static final class Silent extends Plain {
    @Override
    public String name() {
      throw new IllegalStateException("should not be called");
    }

    public Object jdbcOptions() {
      throw new NoClassDefFoundError("as a test");
    }
  }

  public static final class Log {
    public String dataPath() {
      return "/lake/t";
    }
  }

  /** Stands where a session is expected, and has nothing of one. */
  private static final Facts FACTS = new Facts(new Catalog(new Object()));

  private static JsonNode written(Object value) throws Exception {
    Json out = new Json(16);
    assertTrue(FACTS.write(value, true, out));
    return JsonTest.read(out);
  }

  @Test
  void a_table_is_described_by_where_it_is_and_not_by_its_other_properties() throws Exception {
    JsonNode table = written(new Plain());

    assertEquals("s3://***@b/t", table.get("location").textValue());
    assertEquals("shop", table.get("provider").textValue());
    assertFalse(table.toString().contains("hunter"));
    assertFalse(table.toString().contains("secret"));
  }

  @Test
  void a_table_around_another_is_that_other_one() throws Exception {
    assertEquals(Plain.class.getName(), written(new Wrapping()).get("o").textValue());
  }

  @Test
  void what_an_object_throws_leaves_out_that_alone() throws Exception {
    JsonNode table = written(new Silent());

    assertEquals(Silent.class.getName(), table.get("o").textValue());
    assertEquals("shop", table.get("provider").textValue());
    assertNull(table.get("name"));
  }

  @Test
  void names_of_either_generation_have_their_parts() throws Exception {
    JsonNode name = written(new TableIdentifier("t", Option.apply("d")));
    JsonNode identifier = written(Identifier.of(new String[] {"a", "b"}, "t"));

    assertEquals("name t d", name.get("k").textValue() + " " + name.get("table").textValue() + " " + name.get("database").textValue());
    assertNull(name.get("entry"), "a session that fails has no entry");
    assertEquals("{\"k\":\"identifier\",\"namespace\":[\"a\",\"b\"],\"name\":\"t\"}", identifier.toString());
  }

  @Test
  void a_new_name_is_in_the_database_of_the_former_one() throws Exception {
    Facts facts = new Facts(new Catalog(new Object()));
    facts.enter();
    Json out = new Json(16).raw("[");
    facts.write(new TableIdentifier("t", Option.apply("d")), true, out.next());
    facts.write(new TableIdentifier("u", Option.empty()), true, out.next());
    facts.enter();
    facts.write(new TableIdentifier("v", Option.empty()), true, out.next());
    JsonNode names = JsonTest.read(out.raw("]"));

    assertEquals("d", names.get(1).get("database").textValue());
    assertTrue(names.get(2).get("database").isNull());
  }

  @Test
  void what_is_of_no_known_kind_writes_nothing() {
    Json out = new Json(16);

    assertFalse(FACTS.write("text", true, out));
    assertEquals(0, out.size());
  }

  @Test
  void another_object_is_its_class_and_its_place() throws Exception {
    Json out = new Json(16);
    FACTS.other(new Log(), out);
    JsonNode log = JsonTest.read(out);

    assertEquals(Log.class.getName(), log.get("o").textValue());
    assertEquals("/lake/t", log.get("path").textValue());
  }
}
