package io.headwater.spark.plan;

import io.headwater.spark.code.Functions;
import io.headwater.spark.code.ShippedFiles;
import io.headwater.spark.data.Folders;
import io.headwater.spark.data.FoundContent;
import io.headwater.spark.data.IcebergHistory;
import io.headwater.spark.document.Json;
import io.headwater.spark.document.Redaction;
import io.headwater.spark.reflection.Mirror;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.api.python.PythonFunction;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.catalog.CatalogStorageFormat;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.connector.catalog.CatalogPlugin;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.functions.BoundFunction;
import org.apache.spark.sql.connector.read.streaming.SparkDataStream;
import org.apache.spark.sql.execution.datasources.DataSource;
import org.apache.spark.sql.sources.BaseRelation;

/**
 * Objects that stand in a node's fields and that only the driver can ask: tables, relations, catalogs, functions. An object is
 * described by what it has, which depends on the kind of object and never on the node that holds it; what that means is
 * decided by the brain. Names of the session's catalog are {@code {"k": "table" | "name", …}}, others {@code {"o": class, …}}.
 */
final class Facts {
  /** Bytes of a function that are sent, and of all of a plan's. */
  private static final int MOST_COMMAND = 256 << 10;
  private static final int MOST_COMMANDS = 1 << 20;
  private final Catalog catalog;
  private int sent;

  Facts(Catalog catalog) {
    this.catalog = catalog;
  }

  /**
   * A function of Python as Spark sends it to its workers. The brain reads what it does without executing it; it
   * goes to that process alone, and no further.
   */
  private void python(Object function, Json out) {
    out.raw("{\"k\":\"python\"").field("version", Mirror.text(function, "pythonVer"));
    if (catalog.hasColumnsByName()) {
      out.field("columnsByName", true);
    }
    byte[] command = functionBytes(Mirror.get(function, "command"));
    if (command != null && sent + command.length <= MOST_COMMANDS) {
      sent += command.length;
      out.field("command", Base64.getEncoder().encodeToString(command));
      ShippedFiles.write(Mirror.texts(Mirror.ask(function, "pythonIncludes")), out);
    } else {
      out.field("large", true);
    }
  }

  /** A function of the program in Java or Scala. */
  void function(Object function, Json out) {
    out.raw("{");
    int before = out.size();
    Functions.write(function, out);
    if (out.size() - before > MOST_COMMAND || sent + out.size() - before > MOST_COMMANDS) {
      out.truncate(before);
      out.field("o", function.getClass().getName());
    }
    sent += out.size() - before;
    out.raw("}");
  }

  /** The bytes of a command; null for one that is too large. */
  private static byte[] functionBytes(Object command) {
    List<Object> bytes = Mirror.list(command);
    if (bytes.size() > MOST_COMMAND) {
      return null;
    }
    byte[] found = new byte[bytes.size()];
    for (int i = 0; i < found.length; i++) {
      found[i] = (Byte) bytes.get(i);
    }
    return found;
  }

  /** The objects of a further node. */
  void enter() {
    catalog.enter();
  }

  /** Writes an object of a known kind; false, and nothing is written, for any other. */
  boolean write(Object value, boolean resolve, Json out) {
    if (value instanceof CatalogTable) {
      out.raw("{\"k\":\"table\"");
      catalog.table((CatalogTable) value, out);
      optionsIfAny(Mirror.ask(value, "storage", "properties"), out);
      if ("hive".equals(Mirror.ask(value, "provider"))) {
        FoundContent.writeFolder(Mirror.ask(value, "storage", "locationUri"), out);
      }
    } else if (value instanceof TableIdentifier) {
      out.raw("{\"k\":\"name\"");
      catalog.name((TableIdentifier) value, resolve, out);
    } else if (value instanceof Identifier) {
      out.raw("{\"k\":\"identifier\"");
      Redaction.urls("namespace", Mirror.texts(((Identifier) value).namespace()), out);
      out.field("name", ((Identifier) value).name());
    } else if (value instanceof CatalogPlugin) {
      out.raw("{\"k\":\"catalog\"").field("name", ((CatalogPlugin) value).name());
    } else if (value instanceof CatalogStorageFormat) {
      out.raw("{\"k\":\"storage\"").field("location", redacted(Mirror.ask(value, "locationUri")));
      optionsIfAny(Mirror.ask(value, "properties"), out);
    } else if (value instanceof PythonFunction) {
      python(value, out);
    } else {
      return object(value, out);
    }
    out.raw("}");
    return true;
  }

  private static void optionsIfAny(Object options, Json out) {
    if (options != null && Options.areShown(options)) {
      options(options, out);
    }
  }

  private boolean object(Object value, Json out) {
    int before = out.size();
    Object described = value instanceof Table ? unwrapped(value) : value;
    out.raw("{").field("o", described.getClass().getName());
    if (described instanceof Table) {
      table(described, out);
    } else if (value instanceof BaseRelation) {
      relation(value, out);
    } else if (value instanceof SparkDataStream) {
      stream(value, out);
    } else if (value instanceof DataSource) {
      out.field("format", text(value, "className"));
      options(Mirror.ask(value, "options"), out);
      Object table = Mirror.ask(value, "catalogTable");
      if (table != null) {
        out.key("table");
        write(table, false, out);
      }
    } else if (value instanceof BoundFunction) {
      out.field("name", ((BoundFunction) value).name());
    } else {
      out.truncate(before);
      return false;
    }
    out.raw("}");
    return true;
  }

  /** An object of no known kind in a plan: its class, and where its data lies. */
  void other(Object value, Json out) {
    out.raw("{").field("o", value.getClass().getName());
    int before = out.size();
    try {
      optional("format", lower(Mirror.ask(value, "shortName")), out);
      stored(value, out);
      procedure(value, out);
    } catch (Exception | LinkageError e) {
      out.truncate(before);
    }
    out.raw("}");
  }

  /** A log or a source of stored data; of one that is no relation the columns stand nowhere else. */
  private void stored(Object value, Json out) {
    Object path = Mirror.ask(value, "dataPath");
    if (path == null) {
      return;
    }
    optional("path", redacted(path), out);
    optional("format", redacted(Mirror.ask(value, "format")), out);
    Object table = Mirror.ask(value, "catalogTable");
    if (table instanceof CatalogTable) {
      out.key("table").raw("{");
      catalog.table((CatalogTable) table, out);
      out.raw("}");
    }
    String columns = text(value, "schema", "json");
    if (columns != null) {
      out.key("columns").text(columns);
    }
  }

  private static void procedure(Object value, Json out) {
    Object parameters = Mirror.ask(value, "parameters");
    if (parameters instanceof Object[]) {
      List<String> names = new ArrayList<>();
      for (Object each : (Object[]) parameters) {
        names.add(text(each, "name"));
      }
      Redaction.urls("parameters", names, out);
      optional("catalog", text(Mirror.field(value, "tableCatalog"), "name"), out);
    }
  }

  /** The table itself, below the one that Spark lays around it to change single rows. */
  private static Object unwrapped(Object table) {
    Object inner = Mirror.ask(table, "table");
    return inner instanceof Table ? inner : table;
  }

  private static void table(Object table, Json out) {
    optional("name", redacted(Mirror.ask(table, "name")), out);
    jdbc(table, out);
    Object properties = Mirror.ask(table, "properties");
    Object location = Mirror.lookup(properties, "location");
    if (location == null) { // a table of changes keeps the one whose changes they are to itself
      location = Mirror.ask(Mirror.field(table, "icebergTable"), "location");
    }
    optional("location", redacted(location), out);
    optional("provider", redacted(Mirror.lookup(properties, "provider")), out);
    optional("type", redacted(Mirror.lookup(properties, "table_type")), out);
    Object asked = Mirror.ask(table, "snapshotId");
    Object current = Mirror.ask(table, "table", "currentSnapshot", "snapshotId");
    Object version = asked == null ? current : asked;
    optional("version", redacted(version), out);
    Object branch = Mirror.ask(table, "branch");
    // Some releases of Iceberg ask for the current snapshot where the program asks for none.
    if (asked != null && !asked.equals(current) || branch != null && !"main".equals(branch)) {
      out.field("since", snapshotTime(table, asked));
    } else if (version != null) {
      Long since = IcebergHistory.broughtBack(Mirror.ask(table, "table"));
      if (since != null) {
        out.field("since", since);
      }
    }
    FoundContent.writeSnapshot(Mirror.ask(table, "table"), version, out);
    if (asked == null || asked.equals(current)) { // a former snapshot's columns may have had other names
      ColumnIds.ofIceberg(Mirror.ask(table, "table"), out);
    }
    ColumnIds.ofDelta(deltaColumns(table), out);
    roots(Mirror.ask(table, "fileIndex"), null, Mirror.ask(table, "options"), out);
    optional("format", lower(Mirror.ask(table, "formatName")), out);
    partitioning(table, out);
    if (Mirror.simpleName(table.getClass()).equals("MemorySink")) { // it has no name, and lies nowhere
      out.field("instance", System.identityHashCode(table));
    }
  }

  /** The columns of a Delta table of Spark's second interface, as it is now. */
  private static Object deltaColumns(Object table) {
    Object snapshot = Mirror.ask(table, "initialSnapshot");
    return Mirror.ask(snapshot == null ? Mirror.ask(table, "snapshot") : snapshot, "metadata", "schema");
  }

  /** By which columns the table's rows lie apart, now or before: each field's name, its column, and what it is of that. */
  private static void partitioning(Object table, Json out) {
    Object specs = Mirror.ask(table, "table", "specs");
    if (!(specs instanceof java.util.Map)) {
      return;
    }
    Object columns = Mirror.ask(table, "table", "schema", "idToName");
    out.key("partitioning").raw("[");
    for (Object spec : ((java.util.Map<?, ?>) specs).values()) {
      for (Object field : Mirror.list(Mirror.ask(spec, "fields"))) {
        Object column = Mirror.lookup(columns, Mirror.ask(field, "sourceId"));
        out.next().raw("{").field("name", text(field, "name"));
        out.field("column", column == null ? null : column.toString());
        out.field("transform", text(field, "transform")).raw("}");
      }
    }
    out.raw("]");
  }

  /** When an Iceberg table held a snapshot, in epoch milliseconds; 0 where that is not known, as of a branch. */
  private static long snapshotTime(Object table, Object snapshot) {
    for (Object each : Mirror.list(Mirror.ask(table, "table", "snapshots"))) {
      Object time = Mirror.ask(each, "timestampMillis");
      if (snapshot != null && snapshot.equals(Mirror.ask(each, "snapshotId")) && time instanceof Long) {
        return (Long) time;
      }
    }
    return 0;
  }

  private static void relation(Object relation, Json out) {
    jdbc(relation, out);
    Object parts = Mirror.ask(relation, "parts");
    if (parts instanceof Object[] && ((Object[]) parts).length > 1) {
      out.field("parts", ((Object[]) parts).length);
    }
    Object index = Mirror.ask(relation, "location");
    roots(index, Mirror.ask(relation, "sparkSession"), Mirror.ask(relation, "options"), out);
    // Delta's change feed, which keeps the table whose changes they are to itself.
    optional("changesOf", redacted(Mirror.ask(relation, "snapshotWithSchemaMode", "snapshot", "deltaLog", "dataPath")), out);
    if (index != null && !index.getClass().getName().startsWith("org.apache.spark.sql.execution.")) {
      out.field("index", index.getClass().getName());
    }
    Object version = Mirror.ask(index, "snapshotAtAnalysis", "version");
    optional("version", redacted(version), out);
    if (Boolean.TRUE.equals(Mirror.ask(index, "isTimeTravelQuery"))) {
      Object time = Mirror.ask(index, "snapshotAtAnalysis", "timestamp");
      out.field("since", time instanceof Long ? (Long) time : 0);
    }
    List<String> partitions = fieldNames(Mirror.ask(relation, "partitionSchema"));
    if (!partitions.isEmpty()) {
      Redaction.urls("partitionColumns", partitions, out);
    }
    Object format = Mirror.ask(relation, "fileFormat");
    if (format != null) {
      String name = lower(Mirror.ask(format, "shortName"));
      out.field("format", name == null ? format.getClass().getName() : name);
    }
    ColumnIds.ofDelta(Mirror.ask(index, "snapshotAtAnalysis", "metadata", "schema"), out);
    Object options = Mirror.ask(relation, "options");
    if (options == null) {
      options(Mirror.field(relation, "sourceOptions"), out);
    } else {
      out.key("options");
      Options.writeLayout(options, out);
    }
    if (Boolean.TRUE.equals(Mirror.ask(relation, "sparkSession", "sessionState", "conf", "caseSensitiveAnalysis"))) {
      out.field("caseSensitive", "true");
    }
    optional("matching", matching(relation, lower(Mirror.ask(format, "shortName"))), out);
  }

  /** How the session finds the columns in files of a format, if not by their names. */
  private static String matching(Object relation, String format) {
    Object state = Mirror.ask(relation, "sparkSession", "sessionState");
    if ("orc".equals(format)) {
      Object conf = Mirror.ask(state, "newHadoopConf");
      boolean asked = conf instanceof Configuration && ((Configuration) conf).getBoolean(Options.ORC_POSITIONS, false);
      return asked ? "position" : null;
    }
    boolean byId = "parquet".equals(format)
        && Boolean.TRUE.equals(Mirror.ask(state, "conf", "parquetFieldIdReadEnabled"))
        && String.valueOf(text(relation, "dataSchema", "json")).contains("\"parquet.field.id\"");
    return byId ? "id" : null;
  }

  /**
   * A stream keeps its table, if that is Iceberg's, or the reader of its offsets, with servers and topics, and not the
   * options that it was made of.
   */
  private static void stream(Object stream, Json out) {
    Object table = Mirror.field(stream, "table");
    optional("location", redacted(Mirror.ask(table, "location")), out);
    ColumnIds.ofIceberg(table, out);
    Object batches = Mirror.ask(stream, "kafkaOffsetReader");
    Object reader = batches == null ? Mirror.ask(stream, "offsetReader") : batches;
    optional("servers", redacted(Mirror.lookup(Mirror.field(reader, "driverKafkaParams"), "bootstrap.servers")), out);
    Object strategy = Mirror.field(reader, "consumerStrategy");
    Set<String> topics = new LinkedHashSet<>(Mirror.texts(Mirror.ask(strategy, "topics")));
    for (Object partition : Mirror.list(Mirror.ask(strategy, "partitions"))) {
      topics.add(text(partition, "topic"));
    }
    if (!topics.isEmpty()) {
      Redaction.urls("topics", new ArrayList<>(topics), out);
    }
  }

  private static void jdbc(Object holder, Json out) {
    jdbcOptions(Mirror.ask(holder, "jdbcOptions"), out);
  }

  /** The options of the database of which a catalog lists the tables; nothing of other catalogs. */
  static void database(Object catalog, Json out) {
    Object options = catalog == null ? null : Mirror.field(catalog, "options");
    if (options != null && Mirror.simpleName(options.getClass()).equals("JDBCOptions")) {
      jdbcOptions(options, out);
    }
  }

  private static void jdbcOptions(Object jdbc, Json out) {
    if (jdbc != null) {
      out.key("jdbc");
      Options.write(Mirror.ask(jdbc, "parameters"), out);
    }
  }

  private static void options(Object options, Json out) {
    if (options != null) {
      out.key("options");
      Options.write(options, out);
    }
  }

  /** Where a file index has its files, and what a read finds there; nothing without one. */
  private static void roots(Object fileIndex, Object session, Object options, Json out) {
    if (fileIndex == null) {
      return;
    }
    boolean below = Folders.areReadBelow(options);
    FoundContent.writeWatched(fileIndex, options, out);
    Folders folders = Folders.of(fileIndex, below);
    List<String> roots = new ArrayList<>(folders.found());
    Redaction.urls("roots", roots, out);
    if (below) {
      out.field("below", true);
    }
    if (folders.isCut()) {
      out.field("partial", true);
    } else {
      FoundContent.write(fileIndex, roots, session, options, out);
    }
  }

  private static String text(Object target, String... names) {
    Object found = Mirror.ask(target, names);
    return found == null ? null : found.toString();
  }

  private static void optional(String key, String value, Json out) {
    if (value != null) {
      out.key(key).string(value, Json.MAX_TEXT);
    }
  }

  private static String redacted(Object value) {
    return value == null ? null : Redaction.url(value.toString());
  }

  private static String lower(Object value) {
    return value == null ? null : value.toString().toLowerCase(java.util.Locale.ROOT);
  }

  private static List<String> fieldNames(Object schema) {
    List<String> names = new ArrayList<>();
    for (Object field : Mirror.list(Mirror.ask(schema, "fields"))) {
      names.add(text(field, "name"));
    }
    return names;
  }
}
