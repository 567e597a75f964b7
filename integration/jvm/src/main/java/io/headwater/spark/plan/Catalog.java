package io.headwater.spark.plan;

import io.headwater.spark.document.Json;
import io.headwater.spark.document.Redaction;
import io.headwater.spark.reflection.Mirror;
import java.util.List;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import scala.Option;

/**
 * Tables as the session's catalog knows them. What a plan only names is looked up while the plan is encoded: afterwards
 * nobody could, since the command itself changes the catalog.
 */
final class Catalog {
  private static final String SESSION_CATALOG = "spark_catalog";

  private final Object session;
  /** Of the last name that had one. */
  private Option<String> database = Option.empty();

  /** Whether columns of frames of pandas become those of a result by their names; false where that is not known. */
  boolean hasColumnsByName() {
    return Boolean.TRUE.equals(Mirror.ask(session, "sessionState", "conf", "pandasGroupedMapAssignColumnsByName"));
  }

  /** Without a session (null) nothing is looked up. */
  Catalog(Object session) {
    this.session = session;
  }

  /**
   * The members of a table's entry. One without a place of its own, or with one below its database's, has the place that
   * the catalog gives to a new table of that name, and the entry that the catalog has of that name.
   */
  void table(CatalogTable table, Json out) {
    describe(table, out);
    String own = location(table);
    if (session != null && isTable(table) && (own == null || !own.startsWith("/") && !own.contains(":"))) {
      out.field("defaultLocation", defaultLocation(table.identifier()));
      entry(known(table.identifier()), false, out);
    }
  }

  /** The names of a further node. */
  void enter() {
    database = Option.empty();
  }

  /**
   * The members of a name; {@code resolve} adds the catalog's entry of it, and where it puts a table of that name. A name
   * without a database is in that of the name before it, as the new name of a table is; without one before, it may be a
   * temporary view's.
   */
  void name(TableIdentifier given, boolean resolve, Json out) {
    TableIdentifier name =
        resolve && given.database().isEmpty() ? new TableIdentifier(given.table(), database) : given;
    names(name, out);
    if (resolve && session != null && !name.database().isEmpty()) {
      database = name.database();
      resolved(name, out);
    }
  }

  /** What the session's catalog knows of a name in a V2 catalog's form; nothing of other catalogs' names. */
  void identifier(Object catalog, Object identifier, Json out) {
    List<String> namespace = Mirror.texts(Mirror.get(identifier, "namespace"));
    if (session != null && SESSION_CATALOG.equals(Mirror.text(catalog, "name")) && namespace.size() == 1) {
      resolved(new TableIdentifier(Mirror.text(identifier, "name"), Option.apply(namespace.get(0))), out);
    }
  }

  private void resolved(TableIdentifier name, Json out) {
    out.field("defaultLocation", defaultLocation(name));
    entry(known(name), true, out);
  }

  private void entry(CatalogTable known, boolean withColumns, Json out) {
    if (known != null) {
      out.key("entry").raw("{");
      describe(known, out);
      if (withColumns) {
        out.key("columns").text(known.schema().json());
        out.field("created", known.createTime());
      }
      out.raw("}");
    }
  }

  private static void describe(CatalogTable table, Json out) {
    names(table.identifier(), out);
    out.field("type", table.tableType().name());
    out.field("provider", Mirror.text(table, "provider"));
    out.field("location", location(table));
    Redaction.urls("partitionColumns", Mirror.texts(Mirror.get(table, "partitionColumnNames")), out);
    String view = Mirror.text(table, "viewText");
    if (view != null) {
      out.key("viewText").string(view, Json.MAX_TEXT);
    }
  }

  private static void names(TableIdentifier identifier, Json out) {
    out.field("table", identifier.table());
    out.field("database", Mirror.text(identifier, "database"));
    out.field("catalog", Mirror.text(identifier, "catalog"));
  }

  private static boolean isTable(CatalogTable table) {
    return Mirror.get(table, "viewText") == null && !table.tableType().name().equals("VIEW");
  }

  private String defaultLocation(TableIdentifier name) {
    String place = Mirror.text(call("defaultTablePath", name));
    return place == null ? null : Redaction.url(place);
  }

  private CatalogTable known(TableIdentifier name) {
    return (CatalogTable) call("getTableMetadata", name);
  }

  /** Null where the catalog throws, as for a table that it does not know. */
  private Object call(String method, TableIdentifier name) {
    try {
      Object catalog = Mirror.path(session, "sessionState", "catalog");
      return catalog.getClass().getMethod(method, TableIdentifier.class).invoke(catalog, name);
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      return null;
    }
  }

  private static String location(CatalogTable table) {
    String place = Mirror.text(table, "storage", "locationUri");
    return place == null ? null : Redaction.url(place);
  }
}
