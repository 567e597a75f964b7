package io.headwater.spark;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.trees.TreeNode;

/** What a command writes: the same members as a leaf's, with the mode in which it is written. */
final class Targets {
  private Targets() {}

  /** Plans that write without being commands. */
  static boolean writes(String name) {
    return name.equals("WriteToDataSourceV2") || name.startsWith("WriteToMicroBatchDataSource");
  }

  static void describe(TreeNode<?> command, Object session, Json out) {
    switch (Mirror.simpleName(command.getClass())) {
      case "InsertIntoHadoopFsRelationCommand":
        files(command, out);
        break;
      case "CreateDataSourceTableAsSelectCommand":
        created((CatalogTable) Mirror.get(command, "table"), command, session, out);
        break;
      case "SaveAsV1TableCommand":
      case "CreateHiveTableAsSelectCommand":
      case "OptimizedCreateHiveTableAsSelectCommand":
        created((CatalogTable) Mirror.get(command, "tableDesc"), command, session, out);
        break;
      case "InsertIntoHiveTable":
        Tables.describe((CatalogTable) Mirror.get(command, "table"), out);
        overwrite(command, out);
        break;
      case "InsertIntoDataSourceCommand":
        Leaves.relation(Mirror.get(command, "logicalRelation"), out);
        overwrite(command, out);
        break;
      case "InsertIntoDataSourceDirCommand":
      case "InsertIntoHiveDirCommand":
        directory(command, out);
        break;
      case "SaveIntoDataSourceCommand":
        saved(command, out);
        break;
      case "CreateViewCommand":
      case "AlterViewAsCommand":
        view(command, out);
        break;
      case "CreateTableAsSelect":
      case "ReplaceTableAsSelect":
        created(command, session, out);
        break;
      case "AppendData":
        v2(command, "append", out);
        break;
      case "OverwriteByExpression":
      case "OverwritePartitionsDynamic":
        v2(command, "overwrite", out);
        break;
      case "MergeIntoTable":
      case "UpdateTable":
      case "DeleteFromTable":
      case "MergeIntoCommand":
      case "UpdateCommand":
      case "DeleteCommand":
        changed(command, out);
        break;
      case "ReplaceData":
      case "WriteDelta":
        v2(command, "update", out);
        break;
      case "LoadDataCommand":
        Moves.loaded(command, session, out);
        break;
      case "AlterTableAddPartitionCommand":
        Moves.added(command, session, out);
        break;
      case "AlterTableSetLocationCommand":
        Moves.placed(command, session, out);
        break;
      case "AlterTableRenameCommand":
        Moves.renamed(command, session, out);
        break;
      case "RenameTable":
        Moves.renamedV2(command, session, out);
        break;
      case "CloneTableCommand":
        Moves.cloned(command, out);
        break;
      case "Call":
        Moves.called(command, out);
        break;
      case "CreateDeltaTableCommand":
        created((CatalogTable) Mirror.get(command, "table"), command, session, out);
        break;
      case "WriteIntoDelta":
        delta(command, out);
        break;
      case "WriteToMicroBatchDataSource":
      case "WriteToMicroBatchDataSourceV1":
        stream(command, out);
        break;
      case "WriteToDataSourceV2":
        out.field("kind", "stream").field("class", command.getClass().getName());
        break;
      default:
        break;
    }
  }

  private static void files(Object command, Json out) {
    CatalogTable table = (CatalogTable) Mirror.get(command, "catalogTable");
    List<String> root = Collections.singletonList(Mirror.text(command, "outputPath"));
    if (table == null) {
      out.field("kind", "files");
      Leaves.texts("partitionColumns", attributeNames(Mirror.get(command, "partitionColumns")), out);
    } else {
      Tables.describe(table, out);
    }
    Leaves.texts("roots", root, out);
    out.field("format", Leaves.format(Mirror.get(command, "fileFormat")));
    Leaves.separator(Mirror.get(command, "options"), out);
    mode(Mirror.get(command, "mode"), out);
  }

  private static void directory(Object command, Json out) {
    out.field("kind", "files");
    String location = Mirror.text(command, "storage", "locationUri");
    String place = location == null ? null : Mirror.qualified(location);
    Leaves.texts("roots", place == null ? Collections.emptyList() : Collections.singletonList(place), out);
    out.field("format", Mirror.text(command, "provider"));
    overwrite(command, out);
  }

  private static void saved(Object command, Json out) {
    Object options = Mirror.get(command, "options");
    String format = Leaves.format(Mirror.get(command, "dataSource"));
    if (format.equals("jdbc")) {
      Object url = Mirror.lookup(options, "url");
      Leaves.jdbc(url == null ? null : url.toString(), options, out);
    } else if (format.equals("kafka")) {
      Leaves.kafka(options, out);
    } else if (Mirror.lookup(options, "path") != null) {
      String path = Mirror.lookup(options, "path").toString();
      out.field("kind", "files");
      Leaves.texts("roots", Collections.singletonList(Mirror.qualified(path)), out);
      out.field("format", format);
    } else {
      out.field("kind", "unknown").field("class", Mirror.get(command, "dataSource").getClass().getName());
    }
    mode(Mirror.get(command, "mode"), out);
  }

  private static void view(Object command, Json out) {
    out.field("kind", "table");
    Tables.identifier((TableIdentifier) Mirror.get(command, "name"), out);
    String kind = Mirror.get(command, "viewType") == null
        ? "VIEW" : Mirror.simpleName(Mirror.get(command, "viewType").getClass());
    out.field("location", (String) null).field("provider", (String) null);
    out.field("type", kind.equals("PersistedView") ? "VIEW" : kind);
    out.field("mode", Mirror.isTrue(command, "replace") ? "overwrite" : "errorifexists");
  }

  /** A table that the command creates, unless it appends to one that there is. */
  private static void created(CatalogTable table, Object command, Object session, Json out) {
    Object mode = Mirror.get(command, "mode");
    boolean appends = mode != null && ((Enum<?>) mode).name().equals("Append");
    CatalogTable known = appends ? Mirror.knownTable(session, table.identifier()) : null;
    if (known == null) {
      Tables.describeNew(table, session, out);
    } else {
      Tables.describe(known, out);
    }
    mode(mode, out);
  }

  /**
   * A table that a V2 catalog creates or replaces: where it names no place the catalog decides, and the insert inside
   * may show it.
   */
  private static void created(Object command, Object session, Json out) {
    Object name = Mirror.get(command, "name");
    Object catalog = Mirror.get(name, "catalog");
    Object identifier = Mirror.get(name, "identifier");
    out.field("kind", "table");
    Tables.identifier(catalog, identifier, out);
    Object spec = Mirror.get(command, "tableSpec");
    String location = Mirror.text(spec, "location");
    out.field("location", location == null ? null : Redaction.url(Mirror.qualified(location)));
    if (location == null) {
      out.field("defaultLocation", Tables.usualLocation(catalog, identifier, session));
    }
    out.field("provider", Mirror.text(spec, "provider"));
    out.field("type", (String) null);
    boolean replaces = Mirror.simpleName(command.getClass()).startsWith("Replace");
    String fresh = Mirror.isTrue(command, "ignoreIfExists") ? "ignore" : "errorifexists";
    out.field("mode", replaces ? "overwrite" : fresh);
  }

  private static void v2(Object command, String mode, Json out) {
    Tables.describeV2(Mirror.get(command, "table"), out);
    out.field("mode", mode);
  }

  /** The table under UPDATE, DELETE or MERGE, below its aliases and whatever else is laid around it. */
  private static void changed(Object command, Json out) {
    Object found = null;
    for (String name : new String[] {"targetTable", "target", "table"}) {
      found = found == null ? Mirror.get(command, name) : found;
    }
    while (found != null && Mirror.get(found, "child") != null) {
      found = Mirror.get(found, "child");
    }
    if (found == null) {
      return;
    }
    if (Mirror.simpleName(found.getClass()).equals("DataSourceV2Relation")) {
      Tables.describeV2(found, out);
    } else {
      Leaves.relation(found, out);
    }
    out.field("mode", "update");
  }

  /** A streaming query's sink, of either generation. */
  private static void stream(Object command, Json out) {
    Object sink = Mirror.get(command, "sink");
    sink = sink == null ? Mirror.path(command, "relation", "table") : sink;
    sink = sink == null ? Mirror.get(command, "table") : sink;
    CatalogTable table = (CatalogTable) Mirror.get(command, "catalogTable");
    Object options = Mirror.get(command, "writeOptions");
    String name = Mirror.simpleName(sink.getClass());
    if (table != null) {
      Tables.describe(table, out);
    } else if (name.equals("KafkaTable") || name.equals("KafkaSink")) {
      Leaves.kafka(options, out);
    } else if (name.matches("(MemorySink|ForeachBatchSink|ConsoleTable|NoopTable)")) {
      out.field("kind", "memory");
    } else if (Mirror.get(command, "relation") != null) {
      Tables.describeV2(Mirror.get(command, "relation"), out);
    } else if (Mirror.lookup(options, "path") != null) {
      String path = Mirror.qualified(Mirror.lookup(options, "path").toString());
      out.field("kind", "files");
      Leaves.texts("roots", Collections.singletonList(path), out);
    } else {
      out.field("kind", "unknown").field("class", sink.getClass().getName());
    }
    boolean complete = "Complete".equals(Mirror.text(command, "outputMode"));
    out.field("mode", complete ? "overwrite" : "append");
  }

  private static void delta(Object command, Json out) {
    CatalogTable table = (CatalogTable) Mirror.get(command, "catalogTableOpt");
    if (table == null) {
      out.field("kind", "files");
    } else {
      Tables.describe(table, out);
    }
    Leaves.texts("roots", Collections.singletonList(Mirror.text(command, "deltaLog", "dataPath")), out);
    out.field("format", "delta");
    mode(Mirror.get(command, "mode"), out);
  }

  private static void overwrite(Object command, Json out) {
    out.field("mode", Mirror.isTrue(command, "overwrite") ? "overwrite" : "append");
  }

  private static void mode(Object mode, Json out) {
    out.field("mode", mode == null ? null : ((Enum<?>) mode).name().toLowerCase(Locale.ROOT));
  }

  private static List<String> attributeNames(Object attributes) {
    List<String> names = new ArrayList<>();
    for (Object attribute : Mirror.list(attributes)) {
      names.add(Mirror.text(attribute, "name"));
    }
    return names;
  }
}
