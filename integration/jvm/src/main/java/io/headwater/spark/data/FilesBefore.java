package io.headwater.spark.data;

import io.headwater.spark.reflection.Mirror;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.metric.SQLMetric;

/**
 * Whether a directory held files before an execution wrote there, and still holds them: it has more of them than were
 * written. Nothing else knows of what was copied there by hand. A directory is looked into when an application first
 * writes there, and afterwards as long as it has few files: then what has come between two writes is known, too.
 * Looking ends at a bound.
 *
 * <p>The sink of a stream keeps a log of its files, also of those that it wrote before: its directory is looked into at
 * each start of the query.
 */
public final class FilesBefore {
  private static final int MAX_ENTRIES = 10_000;
  private static final int FEW_ENTRIES = 1_000;
  private static final int MAX_DIRECTORIES = 10_000;
  private static final Set<String> WRITTEN = ConcurrentHashMap.newKeySet();
  /** The sinks of queries that have written: each start of a query has one of its own. */
  private static final Set<Object> STARTED =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));
  private static final Set<String> LARGE = ConcurrentHashMap.newKeySet();
  private static final FilesBefore NOTHING = new FilesBefore(false, null);
  private static final FilesBefore NOT_KNOWN = new FilesBefore(true, null);

  /** Whether others are left in the directory, which the application had not written; also where that is not known. */
  public final boolean found;
  /** What was there and is now; null where that is not known. */
  public final Content content;

  private FilesBefore(boolean found, Content content) {
    this.found = found;
    this.content = content;
  }

  /** What this left in the directory to which it wrote, if it wrote to one. */
  public static FilesBefore of(QueryExecution query, Object plan) {
    Object sink = plan == null ? null : Mirror.get(plan, "sink");
    boolean isStream = sink != null && Mirror.simpleName(sink.getClass()).equals("FileStreamSink");
    Path directory = isStream ? new Path((String) Mirror.field(sink, "path")) : whole(directory(plan));
    if (directory == null) {
      return NOTHING;
    }
    boolean first = isStream ? STARTED.add(sink) : isFirst(application(query) + " " + directory);
    if (!first && (isStream || LARGE.contains(directory.toString()))) {
      return NOTHING;
    }
    try {
      Object state = Mirror.path(query, "sparkSession", "sessionState");
      FileSystem system = directory.getFileSystem((Configuration) Mirror.get(state, "newHadoopConf"));
      int most = first ? MAX_ENTRIES : FEW_ENTRIES;
      DirectoryFiles files = DirectoryFiles.in(system, directory, most, first && !isStream);
      if (files.entries() > FEW_ENTRIES) {
        LARGE.add(directory.toString());
      }
      Content content = files.isCut() ? null : isStream ? files.besideNamed(logged(sink)) : written(files, query);
      return new FilesBefore(first && (content == null || content.found || files.hasOthersBelow()), content);
    } catch (IOException e) {
      return first ? NOT_KNOWN : NOTHING;
    }
  }

  /** What is there beside what it counted; null where it counted nothing. */
  private static Content written(DirectoryFiles files, QueryExecution query) {
    Object metrics = ExecutedCommand.metrics(query.executedPlan());
    Object count = Mirror.lookup(metrics, "numFiles");
    Object size = Mirror.lookup(metrics, "numOutputBytes");
    boolean counted = count instanceof SQLMetric && size instanceof SQLMetric;
    return counted ? files.besideWrite(((SQLMetric) count).value(), ((SQLMetric) size).value()) : null;
  }

  /** The names of the files that a stream's sink has written. */
  private static List<String> logged(Object sink) {
    List<String> names = new ArrayList<>();
    for (Object each : Mirror.list(Mirror.get(Mirror.field(sink, "fileLog"), "allFiles"))) {
      names.add(new Path(Mirror.text(each, "path")).getName());
    }
    return names;
  }

  /** Several applications may follow each other in one process. */
  private static String application(QueryExecution query) {
    return String.valueOf(Mirror.path(query, "sparkSession", "sparkContext", "applicationId"));
  }

  /** Of more directories than are kept, each write counts as the first. */
  private static boolean isFirst(String directory) {
    return WRITTEN.size() < MAX_DIRECTORIES ? WRITTEN.add(directory) : !WRITTEN.contains(directory);
  }

  /** Where a command writes files; null for anything else. */
  private static Path directory(Object plan) {
    if (plan == null) {
      return null;
    }
    Object output = Mirror.get(plan, "outputPath");
    if (output instanceof Path) {
      return (Path) output;
    }
    Object location = Mirror.has(plan, "overwrite") ? Mirror.path(plan, "table", "storage", "locationUri") : null;
    return location instanceof URI ? new Path((URI) location) : null; // of a table of Hive
  }

  /** The directory of all partitions, where it is that of one. */
  private static Path whole(Path directory) {
    Path above = directory;
    while (above != null && above.getName().contains("=")) {
      above = above.getParent();
    }
    return above;
  }
}
