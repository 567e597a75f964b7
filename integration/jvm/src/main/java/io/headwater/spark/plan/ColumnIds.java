package io.headwater.spark.plan;

import io.headwater.spark.document.Json;
import io.headwater.spark.document.Redaction;
import io.headwater.spark.reflection.Mirror;
import java.util.List;

/**
 * The numbers by which Iceberg, and Delta with column mapping, find columns and members, whatever their names are at
 * present: {@code ["name", "number", [members]]} of each; {@code _element} is what a list has, {@code key} and {@code
 * value} what a map has. A number that a format does not give is empty.
 */
public final class ColumnIds {
  private static final String ELEMENT = "_element";
  private static final String DELTA_ID = "delta.columnMapping.id";

  private ColumnIds() {}

  /** Those of a table of Iceberg's; nothing of another one, or of one that Iceberg makes of what it knows of a table. */
  static void ofIceberg(Object table, Json out) {
    List<Object> columns = Mirror.list(Mirror.ask(table, "schema", "columns"));
    if (!columns.isEmpty() && Mirror.has(columns.get(0), "fieldId") && !isMetadata(table.getClass())) {
      out.key("ids");
      iceberg(columns, null, out);
    }
  }

  /** Those of the schema in Delta's metadata; nothing where it maps no columns. */
  public static void ofDelta(Object schema, Json out) {
    List<Object> columns = Mirror.list(Mirror.ask(schema, "fields"));
    if (!columns.isEmpty() && !number(columns.get(0)).isEmpty()) {
      out.key("ids");
      delta(schema, out);
    }
  }

  private static boolean isMetadata(Class<?> type) {
    return type != null && (type.getName().endsWith("MetadataTable") || isMetadata(type.getSuperclass()));
  }

  /** Lists and maps have fields as structs do. */
  private static void iceberg(List<Object> fields, Object above, Json out) {
    boolean isList = "LIST".equals(String.valueOf(Mirror.ask(above, "typeId")));
    out.raw("[");
    for (Object field : fields) {
      begin(isList ? ELEMENT : Mirror.text(field, "name"), Mirror.text(field, "fieldId"), out);
      Object type = Mirror.get(field, "type");
      iceberg(Mirror.list(Mirror.ask(type, "fields")), type, out);
      out.raw("]");
    }
    out.raw("]");
  }

  private static void delta(Object type, Json out) {
    out.raw("[");
    for (Object field : Mirror.list(Mirror.ask(type, "fields"))) {
      begin(Mirror.text(field, "name"), number(field), out);
      delta(Mirror.get(field, "dataType"), out);
      out.raw("]");
    }
    unnumbered(ELEMENT, Mirror.ask(type, "elementType"), out);
    unnumbered("key", Mirror.ask(type, "keyType"), out);
    unnumbered("value", Mirror.ask(type, "valueType"), out);
    out.raw("]");
  }

  private static void unnumbered(String name, Object type, Json out) {
    if (type != null) {
      begin(name, "", out);
      delta(type, out);
      out.raw("]");
    }
  }

  private static void begin(String name, String number, Json out) {
    out.next().raw("[").string(Redaction.url(name)).raw(",").string(number).raw(",");
  }

  private static String number(Object field) {
    Object known = Mirror.lookup(Mirror.ask(field, "metadata", "map"), DELTA_ID);
    return known == null ? "" : known.toString();
  }
}
