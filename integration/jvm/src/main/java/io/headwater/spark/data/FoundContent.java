package io.headwater.spark.data;

import io.headwater.spark.document.Json;
import io.headwater.spark.reflection.Mirror;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * What a read finds where it reads, in the form of {@link Content}: by the files that Spark has listed for it, or by the
 * version of a table. Nothing is opened for that; only the directory of a table whose partitions Spark lists later is
 * looked into, up to a bound. Left out is what is not known, as of a reader that takes some files alone.
 */
public final class FoundContent {
  private static final int FEW_ENTRIES = 1_000;
  private static final String DELTA = "org.apache.spark.sql.delta.";
  private static final String OF_STREAM = "_spark_metadata";
  /** Options by which a reader leaves files out. */
  private static final List<String> CHOOSING = Arrays.asList("pathglobfilter", "modifiedafter", "modifiedbefore");

  private FoundContent() {}

  /** {@code ,"contents":[…]}: a state for each of the roots of a file index; nothing where it is not known. */
  public static void write(Object index, List<String> roots, Object session, Object options, Json out) {
    if (roots.isEmpty() || choosesFiles(options)) {
      return;
    }
    int before = out.size();
    try {
      if (index.getClass().getName().startsWith(DELTA)) {
        delta(index, out);
      } else if (Mirror.has(index, "allFiles")) {
        listed(index, roots, out);
      } else if (session != null) {
        inFolders(roots, (Configuration) Mirror.path(session, "sessionState", "newHadoopConf"), out);
      }
    } catch (ReflectiveOperationException | IOException | RuntimeException | LinkageError e) {
      out.truncate(before);
    }
  }

  /** The same for a snapshot of an Iceberg table. */
  public static void writeSnapshot(Object table, Object snapshot, Json out) {
    if (snapshot != null) {
      states(Arrays.asList(IcebergHistory.found(table, snapshot)), out);
    }
  }

  /** The same for the folder of a table of Hive's, of which Spark says nothing before it reads it. */
  public static void writeFolder(Object location, Json out) {
    String found = location == null ? null : inFolder(location.toString());
    if (found != null) {
      states(Arrays.asList(found), out);
    }
  }

  /** {@code ,"watched":{…}}: what is in the folder whose new files a stream reads in batches. */
  public static void writeWatched(Object index, Object options, Json out) {
    Object folder = Mirror.lookup(options, "basePath");
    List<Object> files = folder == null ? Collections.emptyList() : Mirror.list(Mirror.ask(index, "allFiles"));
    List<Object> roots = files.isEmpty() ? files : Mirror.list(Mirror.ask(index, "rootPaths"));
    if (!roots.isEmpty() && roots.contains(((FileStatus) files.get(0)).getPath())) {
      String found = inFolder(folder.toString());
      if (found != null) {
        out.key("watched").raw(found);
      }
    }
  }

  /** Null where it is not known, and for the folder of a stream, of which a log says what counts. */
  private static String inFolder(String place) {
    try {
      Path folder = new Path(place);
      FileSystem system = folder.getFileSystem(Folders.conf());
      DirectoryFiles files = DirectoryFiles.in(system, folder, FEW_ENTRIES, false);
      return files.isCut() || system.exists(new Path(folder, OF_STREAM)) ? null : files.figures();
    } catch (IOException | RuntimeException | LinkageError e) {
      return null;
    }
  }

  private static boolean choosesFiles(Object options) {
    for (Object each : Mirror.list(Mirror.ask(options, "keySet"))) {
      if (CHOOSING.contains(each.toString().toLowerCase(Locale.ROOT))) {
        return true;
      }
    }
    return false;
  }

  private static void delta(Object index, Json out) throws ReflectiveOperationException, IOException {
    Object version = Mirror.ask(index, "snapshotAtAnalysis", "version");
    Object log = Mirror.ask(index, "deltaLog");
    if (version instanceof Long && log != null) {
      states(Arrays.asList(DeltaCommits.found(log, (Long) version)), out);
    }
  }

  private static void listed(Object index, List<String> roots, Json out) {
    Map<Path, long[]> counted = new LinkedHashMap<>();
    for (String root : roots) {
      counted.put(new Path(root), new long[2]);
    }
    for (Object each : Mirror.list(Mirror.get(index, "allFiles"))) {
      FileStatus file = (FileStatus) each;
      long[] figures = DirectoryFiles.isHidden(file.getPath().getName()) ? null : root(file.getPath(), counted);
      if (figures != null) {
        figures[0] += 1;
        figures[1] += file.getLen();
      }
    }
    String[] found = counted.values().stream().map(each -> Content.figures(each[0], each[1])).toArray(String[]::new);
    if (found.length == roots.size()) {
      states(Arrays.asList(found), out);
    }
  }

  /** Of the root below which the file lies in folders of partitions alone; null where there is none. */
  private static long[] root(Path file, Map<Path, long[]> counted) {
    long[] own = counted.get(file);
    Path above = file.getParent();
    while (own == null && above != null) {
      own = counted.get(above);
      if (own == null && !above.getName().contains("=")) {
        return null;
      }
      above = above.getParent();
    }
    return own;
  }

  private static void inFolders(List<String> roots, Configuration conf, Json out) throws IOException {
    String[] found = new String[roots.size()];
    for (int i = 0; i < found.length; i++) {
      Path root = new Path(roots.get(i));
      DirectoryFiles files = DirectoryFiles.in(root.getFileSystem(conf), root, FEW_ENTRIES, false);
      if (files.isCut()) {
        return;
      }
      found[i] = files.figures();
    }
    states(Arrays.asList(found), out);
  }

  private static void states(List<String> found, Json out) {
    out.key("contents").raw("[");
    for (String each : found) {
      out.next().raw(each);
    }
    out.raw("]");
  }
}
