package io.headwater.spark;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.plans.logical.Command;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;

/** Where a leaf of the plan reads, as the node's {@code "src"}: a fact about the source, not an opinion on it. */
final class Leaves {
  private Leaves() {}

  /** Appends {@code ,"src":{…}}, or nothing where the node names no source and no target. */
  static void describe(TreeNode<?> node, Object session, Json out) {
    int before = out.size();
    out.key("src").raw("{");
    int opened = out.size();
    if (node instanceof Command || Targets.writes(Mirror.simpleName(node.getClass()))) {
      Targets.describe(node, session, out);
    } else {
      leaf(node, out);
    }
    if (out.size() == opened) {
      out.truncate(before);
    } else {
      out.raw("}");
    }
  }

  private static void leaf(TreeNode<?> node, Json out) {
    String name = Mirror.simpleName(node.getClass());
    switch (name) {
      case "CTERelationRef":
        return;
      case "LocalRelation":
      case "Range":
      case "OneRowRelation":
      case "CommandResult":
        out.field("kind", "memory");
        return;
      case "LogicalRelation":
      case "LogicalRelationWithTable":
        relation(node, out);
        return;
      case "HiveTableRelation":
        Tables.describe((CatalogTable) Mirror.get(node, "tableMeta"), out);
        return;
      case "DataSourceV2Relation":
      case "StreamingRelationV2":
      case "StreamingDataSourceV2Relation":
        Tables.describeV2(node, out);
        return;
      case "DataSourceV2ScanRelation":
      case "StreamingDataSourceV2ScanRelation":
        Tables.describeV2(Mirror.get(node, "relation"), out);
        return;
      case "ResolvedIdentifier":
        out.field("kind", "table");
        Tables.identifier(Mirror.get(node, "catalog"), Mirror.get(node, "identifier"), out);
        return;
      case "LogicalRDD":
      case "ExternalRDD":
        RddInputs.describe(Mirror.get(node, "rdd"), out);
        return;
      case "StreamingRelation":
      case "StreamingExecutionRelation":
        stream(node, out);
        return;
      default:
        out.field("kind", "unknown").field("class", node.getClass().getName());
    }
  }

  static void relation(Object node, Json out) {
    Object relation = Mirror.get(node, "relation");
    CatalogTable table = (CatalogTable) Mirror.get(node, "catalogTable");
    String name = Mirror.simpleName(relation.getClass());
    if (relation instanceof HadoopFsRelation) {
      files(node, relation, table, out);
    } else if (name.equals("JDBCRelation")) {
      jdbc(Mirror.get(relation, "jdbcOptions"), out);
    } else if (name.equals("KafkaRelation")) {
      kafka(Mirror.field(relation, "sourceOptions"), out);
    } else if (table != null) {
      Tables.describe(table, out);
    } else {
      out.field("kind", "unknown").field("class", relation.getClass().getName());
    }
  }

  /** A micro-batch reads single files of the directory that the stream watches. */
  private static void files(Object node, Object relation, CatalogTable table, Json out) {
    Object location = Mirror.get(relation, "location");
    if (table == null) {
      out.field("kind", "files");
      texts("partitionColumns", fieldNames(Mirror.get(relation, "partitionSchema")), out);
    } else {
      Tables.describe(table, out);
    }
    String stream = Mirror.isTrue(node, "isStreaming") ? text(Mirror.lookup(Mirror.get(relation, "options"), "basePath")) : null;
    if (stream == null) {
      roots(location, out);
    } else {
      texts("roots", Collections.singletonList(Mirror.qualified(stream)), out);
    }
    out.field("format", format(location, Mirror.get(relation, "fileFormat")));
    separator(Mirror.get(relation, "options"), out);
    Object conf = Mirror.path(relation, "sparkSession", "sessionState", "conf");
    if (Mirror.isTrue(conf, "caseSensitiveAnalysis")) {
      out.field("caseSensitive", "true");
    }
    Object version = Mirror.path(location, "snapshotAtAnalysis", "version");
    if (version != null) {
      out.field("version", version.toString());
    }
  }

  /** A Delta table is read as Parquet, by an index of its own. */
  private static String format(Object location, Object fileFormat) {
    return location.getClass().getName().contains(".delta.") ? "delta" : format(fileFormat);
  }

  /** What stands between the columns of CSV, where the program says it. */
  static void separator(Object options, Json out) {
    Object separator = Mirror.lookup(options, "sep");
    separator = separator == null ? Mirror.lookup(options, "delimiter") : separator;
    if (separator != null) {
      out.field("separator", separator.toString());
    }
  }

  private static String text(Object value) {
    return value == null ? null : value.toString();
  }

  static void jdbc(Object options, Json out) {
    Object parameters = Mirror.get(options, "parameters");
    jdbc(Mirror.text(options, "url"), parameters, out);
  }

  static void jdbc(String url, Object parameters, Json out) {
    out.field("kind", "jdbc").field("url", url == null ? null : Redaction.url(url));
    for (String key : new String[] {"dbtable", "query", "driver"}) {
      Object value = Mirror.lookup(parameters, key);
      if (value != null) {
        out.key(key).string(value.toString(), JdbcQuery.MAX_TEXT);
      }
    }
    JdbcQuery.describe(parameters, out);
  }

  static void kafka(Object options, Json out) {
    out.field("kind", "kafka");
    Object servers = Mirror.lookup(options, "kafka.bootstrap.servers");
    out.field("bootstrapServers", servers == null ? null : servers.toString());
    for (String key : new String[] {"topic", "subscribe", "subscribepattern", "assign"}) {
      Object value = Mirror.lookup(options, key);
      if (value != null) {
        out.key(key).string(value.toString(), Values.MAX_TEXT);
      }
    }
  }

  private static void stream(Object node, Json out) {
    out.field("kind", "stream");
    Object source = Mirror.get(node, "dataSource");
    out.field("format", source == null ? Mirror.text(node, "source") : Mirror.text(source, "className"));
    Object path = Mirror.lookup(Mirror.get(source, "options"), "path");
    if (path != null) {
      out.field("path", Redaction.url(path.toString()));
    }
  }

  /** The root paths of a file index; nothing without one. */
  static void roots(Object fileIndex, Json out) {
    if (fileIndex != null) {
      texts("roots", Mirror.texts(Mirror.get(fileIndex, "rootPaths")), out);
    }
  }

  /** "parquet" for the format's object, its class name where it has no short name. */
  static String format(Object format) {
    String name = Mirror.text(format, "shortName");
    return name == null ? format.getClass().getName() : name.toLowerCase(Locale.ROOT);
  }

  static void texts(String key, List<String> texts, Json out) {
    out.key(key).raw("[");
    for (String text : texts) {
      out.next().string(Redaction.url(text), Values.MAX_TEXT);
    }
    out.raw("]");
  }

  static List<String> fieldNames(Object schema) {
    List<String> names = new ArrayList<>();
    for (Object field : Mirror.list(Mirror.get(schema, "fields"))) {
      names.add(Mirror.text(field, "name"));
    }
    return names;
  }
}
