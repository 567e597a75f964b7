package io.headwater.spark.data;

import io.headwater.spark.reflection.Mirror;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayDeque;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.metric.SQLMetric;

/**
 * Whether a directory held files before an execution wrote there, and still holds them: it has more of them than were
 * written. Nothing else knows of what was copied there by hand. The count takes no clock, which is another one where the
 * files are. A directory is looked into once in an application: afterwards, the application itself has written there.
 * Looking ends with the first file too many, and at a bound.
 */
public final class FilesBefore {
  private static final int MAX_ENTRIES = 10_000;
  private static final int MAX_DIRECTORIES = 10_000;
  private static final Set<String> WRITTEN = ConcurrentHashMap.newKeySet();

  private FilesBefore() {}

  /** Whether this wrote to a directory in which others are left; also where that cannot be found out. */
  public static boolean found(QueryExecution query, Object plan) {
    Path directory = whole(directory(plan));
    if (directory == null || !isFirst(directory.toString())) {
      return false;
    }
    Object physical = query.executedPlan();
    Object command = Mirror.get(physical, "commandPhysicalPlan");
    Object written = Mirror.lookup(Mirror.get(command == null ? physical : command, "metrics"), "numFiles");
    if (!(written instanceof SQLMetric)) {
      return true;
    }
    Object state = Mirror.path(query, "sparkSession", "sessionState");
    Configuration conf = (Configuration) Mirror.get(state, "newHadoopConf");
    try {
      return holdsMore(directory.getFileSystem(conf), directory, ((SQLMetric) written).value());
    } catch (IOException e) {
      return true;
    }
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

  private static boolean holdsMore(FileSystem files, Path directory, long written) throws IOException {
    ArrayDeque<Path> pending = new ArrayDeque<>();
    pending.add(directory);
    long found = 0;
    for (int entries = 0; !pending.isEmpty(); ) {
      RemoteIterator<FileStatus> listed = files.listStatusIterator(pending.poll());
      while (listed.hasNext()) {
        FileStatus each = listed.next();
        if (++entries > MAX_ENTRIES) {
          return true;
        }
        if (isHidden(each.getPath().getName())) {
          continue;
        }
        if (each.isDirectory()) {
          pending.add(each.getPath());
        } else if (++found > written) {
          return true;
        }
      }
    }
    return false;
  }

  /** By Spark's own rule: the directory of a partition may begin with an underscore. */
  private static boolean isHidden(String name) {
    return name.startsWith(".") || (name.startsWith("_") && !name.contains("="));
  }
}
