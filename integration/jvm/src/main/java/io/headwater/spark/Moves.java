package io.headwater.spark;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import scala.Option;

/**
 * Commands that make stored data a table's, or give a table another name, without a query: where they take the data
 * from, as {@code "from"}, and the table before, as {@code "previous"}.
 */
final class Moves {
  private Moves() {}

  /** {@code LOAD DATA INPATH}. */
  static void loaded(Object command, Object session, Json out) {
    String path = Mirror.text(command, "path");
    boolean local = Mirror.isTrue(command, "isLocal") && new Path(path).toUri().getScheme() == null;
    into(command, "table", session, Collections.singletonList(local ? local(path) : path), out);
    out.field("mode", Mirror.isTrue(command, "isOverwrite") ? "overwrite" : "append");
  }

  private static String local(String path) {
    return "file:" + new java.io.File(path).getAbsolutePath();
  }

  /** {@code ALTER TABLE … ADD PARTITION … LOCATION}; nothing for partitions at places of the table's own. */
  static void added(Object command, Object session, Json out) {
    List<String> places = new ArrayList<>();
    for (Object each : Mirror.list(Mirror.get(command, "partitionSpecsAndLocs"))) {
      String place = Mirror.text(each, "_2");
      if (place != null) {
        places.add(place);
      }
    }
    if (!places.isEmpty()) {
      into(command, "tableName", session, places, out);
      out.field("mode", "append");
    }
  }

  /** {@code ALTER TABLE … PARTITION … SET LOCATION}; nothing for a whole table, which is where it is put. */
  static void placed(Object command, Object session, Json out) {
    if (Mirror.get(command, "partitionSpec") != null) {
      into(command, "tableName", session, Collections.singletonList(Mirror.text(command, "location")), out);
      out.field("mode", "append");
    }
  }

  private static void into(Object command, String name, Object session, List<String> places, Json out) {
    CatalogTable table = Mirror.knownTable(session, (TableIdentifier) Mirror.get(command, name));
    if (table == null) {
      out.field("kind", "unknown").field("class", command.getClass().getName());
    } else {
      Tables.describe(table, out);
      out.key("columns").text(table.schema().json());
    }
    out.key("from").raw("[");
    for (String place : places) {
      out.next().raw("{").field("kind", "files");
      Leaves.texts("roots", Collections.singletonList(Mirror.qualified(place)), out);
      out.field("format", table == null ? null : Mirror.text(table, "provider")).raw("}");
    }
    out.raw("]");
  }

  /** What a clone of a table is a clone of; the command around it says where to. */
  static void cloned(Object command, Json out) {
    Object source = Mirror.get(command, "sourceTable");
    CatalogTable table = (CatalogTable) Mirror.get(source, "catalogTable");
    Object schema = Mirror.get(source, "schema");
    out.key("from").raw("[").next().raw("{");
    if (table == null) {
      out.field("kind", "files");
    } else {
      Tables.describe(table, out);
    }
    String place = Mirror.text(source, "dataPath");
    Leaves.texts("roots", place == null ? Collections.emptyList() : Collections.singletonList(place), out);
    out.field("format", Mirror.text(source, "format")).raw("}").raw("]");
    if (schema != null) {
      out.key("columns").text(Mirror.text(schema, "json"));
    }
  }

  /** {@code ALTER TABLE … RENAME TO} in the session's catalog; nothing for a temporary view. */
  static void renamed(Object command, Object session, Json out) {
    TableIdentifier before = (TableIdentifier) Mirror.get(command, "oldName");
    TableIdentifier after = (TableIdentifier) Mirror.get(command, "newName");
    if (!before.database().isEmpty()) {
      boolean isQualified = !after.database().isEmpty();
      renamed(before, isQualified ? after : new TableIdentifier(after.table(), before.database()), session, out);
    }
  }

  /** {@code ALTER TABLE … RENAME TO} of a table that a V2 catalog has loaded. */
  static void renamedV2(Object command, Object session, Json out) {
    Object table = Mirror.get(command, "child");
    Object catalog = Mirror.get(table, "catalog");
    Object identifier = Mirror.get(table, "identifier");
    List<String> before = new ArrayList<>(Mirror.texts(Mirror.get(identifier, "namespace")));
    List<String> after = new ArrayList<>(Mirror.texts(Mirror.get(command, "newName")));
    if (after.size() == 1) {
      after.addAll(0, before);
    }
    before.add(Mirror.text(identifier, "name"));
    if ("spark_catalog".equals(Mirror.text(catalog, "name"))) {
      renamed(identifier(before), identifier(after), session, out);
    } else {
      Object location = Mirror.lookup(Mirror.path(table, "table", "properties"), "location");
      Tables.describeNamed(catalog, after, location, out);
      out.field("mode", "rename").key("previous").raw("{");
      Tables.describeNamed(catalog, before, location, out);
      out.raw("}");
    }
  }

  private static TableIdentifier identifier(List<String> parts) {
    int last = parts.size() - 1;
    return new TableIdentifier(parts.get(last), Option.apply(last == 0 ? null : parts.get(last - 1)));
  }

  /** The session's catalog may know either name by now. */
  private static void renamed(TableIdentifier before, TableIdentifier after, Object session, Json out) {
    CatalogTable old = Mirror.knownTable(session, before);
    CatalogTable known = old == null ? Mirror.knownTable(session, after) : old;
    if (known != null) {
      Tables.describeNamed(after, known, old == null, session, out);
      out.field("mode", "rename").key("previous").raw("{");
      Tables.describeNamed(before, known, old != null, session, out);
      out.raw("}");
    }
  }

  /** A stored procedure: the program knows it by its class, and its arguments by position. */
  static void called(Object command, Json out) {
    Object resolved = Mirror.get(command, "procedure");
    Object inner = Mirror.get(resolved, "procedure");
    Object procedure = inner == null ? resolved : inner;
    Object catalog = inner == null ? Mirror.field(procedure, "tableCatalog") : Mirror.get(resolved, "catalog");
    List<String> parameters = new ArrayList<>();
    for (Object each : Mirror.list(Mirror.get(procedure, "parameters"))) {
      parameters.add(Mirror.text(each, "name"));
    }
    out.field("kind", "procedure").field("class", procedure.getClass().getName());
    out.field("catalog", Mirror.text(catalog, "name"));
    Leaves.texts("parameters", parameters, out);
  }
}
