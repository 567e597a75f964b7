package io.headwater.spark;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import scala.Option;

/** Tables of the session catalog and of V2 catalogs. */
final class Tables {
  private Tables() {}

  /** The catalog's entry as an element of a node. */
  static void writeProduct(CatalogTable table, Json out) {
    out.raw("{").field("p", "CatalogTable").key("a").raw("{");
    names(table.identifier(), out);
    out.field("type", table.tableType().name());
    out.field("provider", Mirror.text(table, "provider"));
    out.field("location", location(table));
    String view = Mirror.text(table, "viewText");
    out.key("viewText");
    if (view == null) {
      out.raw("null");
    } else {
      out.string(view, Values.MAX_TEXT);
    }
    out.raw("}}");
  }

  /** The members of a "table" source; the object is the caller's to close. */
  static void describe(CatalogTable table, Json out) {
    describe(table, location(table), out);
  }

  /**
   * A table that is being created: without a location of its own it lies where the catalog puts new tables, and one
   * that is relative is below its database's.
   */
  static void describeNew(CatalogTable table, Object session, Json out) {
    String own = location(table);
    if (own == null || !new Path(own).isAbsolute()) {
      String usual = Mirror.defaultTablePath(session, table.identifier());
      own = own == null || usual == null ? usual : new Path(new Path(usual).getParent(), own).toString();
    }
    describe(table, own, out);
  }

  /** Where the session's catalog has a table, or else would put it; null in other catalogs. */
  static String usualLocation(Object catalog, Object identifier, Object session) {
    List<Object> namespace = Mirror.list(Mirror.get(identifier, "namespace"));
    if (!"spark_catalog".equals(Mirror.text(catalog, "name")) || namespace.size() != 1) {
      return null;
    }
    Option<String> database = Option.apply(String.valueOf(namespace.get(0)));
    TableIdentifier name = new TableIdentifier(Mirror.text(identifier, "name"), database);
    CatalogTable known = Mirror.knownTable(session, name);
    String place = known == null ? null : location(known);
    return place == null ? Mirror.defaultTablePath(session, name) : place;
  }

  /**
   * A table under one of the two names of its renaming. Its location is that of the name which the catalog has for it;
   * of the other name it is told where the catalog puts a table of that name.
   */
  static void describeNamed(
      TableIdentifier name, CatalogTable known, boolean isItsName, Object session, Json out) {
    out.field("kind", "table");
    identifier(name, out);
    out.field("location", isItsName ? location(known) : null);
    if (!known.tableType().name().equals("VIEW")) {
      out.field("defaultLocation", Mirror.defaultTablePath(session, name));
    }
    out.field("provider", Mirror.text(known, "provider")).field("type", known.tableType().name());
  }

  /** A table of a V2 catalog under the name of those parts, which may begin with the catalog's. */
  static void describeNamed(Object catalog, List<String> parts, Object location, Json out) {
    String own = Mirror.text(catalog, "name");
    int first = parts.size() > 2 && parts.get(0).equals(own) ? 1 : 0;
    int last = parts.size() - 1;
    out.field("kind", "table").key("identifier").raw("{").field("table", parts.get(last));
    out.field("database", first >= last ? null : String.join(".", parts.subList(first, last)));
    out.field("catalog", own).raw("}");
    out.field("location", location == null ? null : text(Mirror.qualified(location.toString())));
  }

  private static void describe(CatalogTable table, String location, Json out) {
    out.field("kind", "table");
    identifier(table.identifier(), out);
    out.field("location", location);
    out.field("provider", Mirror.text(table, "provider"));
    out.field("type", table.tableType().name());
    Leaves.texts("partitionColumns", Mirror.texts(Mirror.get(table, "partitionColumnNames")), out);
  }

  static void identifier(TableIdentifier identifier, Json out) {
    out.key("identifier").raw("{");
    names(identifier, out);
    out.raw("}");
  }

  private static void names(TableIdentifier identifier, Json out) {
    out.field("table", identifier.table());
    out.field("database", Mirror.text(identifier, "database"));
    out.field("catalog", Mirror.text(identifier, "catalog"));
  }

  /** A V2 catalog's plugin and identifier. */
  static void identifier(Object catalog, Object identifier, Json out) {
    Object namespace = Mirror.get(identifier, "namespace");
    List<String> parts = Mirror.list(namespace).stream().map(String::valueOf).collect(Collectors.toList());
    out.key("identifier").raw("{");
    out.field("table", Mirror.text(identifier, "name"));
    out.field("database", parts.isEmpty() ? null : String.join(".", parts));
    out.field("catalog", Mirror.text(catalog, "name"));
    out.raw("}");
  }

  /** A V2 table: a file source says its roots, JDBC its URL, Kafka its topic, anything else its identifier. */
  static void describeV2(Object relation, Json out) {
    Object table = Mirror.get(relation, "table");
    if (table == null) {
      stream(Mirror.get(relation, "stream"), out);
      return;
    }
    if (Mirror.simpleName(table.getClass()).equals("RowLevelOperationTable")) {
      table = Mirror.get(table, "table");
    }
    Object options = Mirror.get(relation, Mirror.get(relation, "options") == null ? "extraOptions" : "options");
    String type = Mirror.simpleName(table.getClass());
    if (Mirror.get(table, "jdbcOptions") != null) {
      Leaves.jdbc(Mirror.get(table, "jdbcOptions"), out);
    } else if (type.equals("KafkaTable")) {
      Leaves.kafka(options, out);
    } else if (Mirror.get(relation, "identifier") != null) {
      v2Table(relation, table, out);
    } else if (Mirror.get(table, "fileIndex") != null) {
      v2Files(table, out);
    } else if (Mirror.lookup(options, "path") != null) {
      out.field("kind", "files");
      String path = Mirror.qualified(String.valueOf(Mirror.lookup(options, "path")));
      Leaves.texts("roots", Arrays.asList(path), out);
      out.field("format", Mirror.text(table, "name"));
    } else {
      out.field("kind", "unknown").field("class", table.getClass().getName());
    }
  }

  /** A micro-batch's source in Spark 3.5, which keeps the stream and not the table that it came from. */
  private static void stream(Object stream, Json out) {
    if (KafkaStream.is(stream)) {
      KafkaStream.describe(stream, out);
    } else {
      out.field("kind", "unknown").field("class", stream == null ? null : stream.getClass().getName());
    }
  }

  private static void v2Table(Object relation, Object table, Json out) {
    Object properties = Mirror.get(table, "properties");
    out.field("kind", "table");
    identifier(Mirror.get(relation, "catalog"), Mirror.get(relation, "identifier"), out);
    Object location = Mirror.lookup(properties, "location");
    if (location == null) { // the changes of an Iceberg table are where it is, and do not say so
      location = Mirror.get(Mirror.field(table, "icebergTable"), "location");
    }
    out.field("location", location == null ? null : text(Mirror.qualified(location.toString())));
    out.field("provider", text(Mirror.lookup(properties, "provider")));
    out.field("type", text(Mirror.lookup(properties, "table_type")));
    out.field("class", table.getClass().getName());
    version(table, out);
    Leaves.roots(Mirror.get(table, "fileIndex"), out);
  }

  /** The snapshot that is read, where the table's own class names it: an Iceberg table does. */
  private static void version(Object table, Json out) {
    Object asked = Mirror.get(table, "snapshotId");
    Object version = asked == null ? Mirror.path(table, "table", "currentSnapshot", "snapshotId") : asked;
    if (version != null) {
      out.field("version", version.toString());
    }
  }

  private static void v2Files(Object table, Json out) {
    out.field("kind", "files");
    Leaves.roots(Mirror.get(table, "fileIndex"), out);
    out.field("format", Mirror.text(table, "formatName").toLowerCase(java.util.Locale.ROOT));
  }

  private static String text(Object value) {
    return value == null ? null : Redaction.url(value.toString());
  }

  private static String location(CatalogTable table) {
    return text(Mirror.path(table, "storage", "locationUri"));
  }
}
