package io.headwater.spark;

import java.io.IOException;
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
 * Whether a directory held files before an execution appended to it: now it holds more of them than the execution wrote.
 * Nothing else knows of what was copied there by hand. The count takes no clock, which is another one where the files are.
 * A directory is looked into once in an application: afterwards, the application itself has written there. Looking ends
 * with the first file too many, and at a bound.
 */
final class FilesBefore {
  private static final int MAX_ENTRIES = 10_000;
  private static final int MAX_DIRECTORIES = 10_000;
  private static final Set<String> APPENDED = ConcurrentHashMap.newKeySet();

  private FilesBefore() {}

  /** Whether this is an append to a directory in which there were files; also where that cannot be found out. */
  static boolean found(QueryExecution query, Object plan) throws IOException {
    Path directory = directory(plan);
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
    return holdsMore(directory.getFileSystem(conf), directory, ((SQLMetric) written).value());
  }

  /** Of more directories than are kept, each append counts as the first. */
  private static boolean isFirst(String directory) {
    return APPENDED.size() < MAX_DIRECTORIES ? APPENDED.add(directory) : !APPENDED.contains(directory);
  }

  private static Path directory(Object plan) {
    if ("Append".equals(Mirror.text(plan, "mode"))) {
      Object output = Mirror.get(plan, "outputPath");
      return output instanceof Path ? (Path) output : null;
    }
    boolean isHive = plan != null && Mirror.simpleName(plan.getClass()).equals("InsertIntoHiveTable");
    return isHive && Boolean.FALSE.equals(Mirror.get(plan, "overwrite"))
        ? new Path(Mirror.text(plan, "table", "location"))
        : null;
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
