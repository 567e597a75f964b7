package io.headwater.spark.data;

import io.headwater.spark.reflection.Mirror;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.SparkContext;

/**
 * The folders of the datasets that a read reaches from above, by a pattern or recursively: each folder that has files, without
 * those that are named by a column's value; of one that is a part of a table or a model, these. Folders are kept up to a
 * bound; then {@link #isCut} says so.
 */
public final class Folders {
  private static final int MAX_FOLDERS = 1_000;
  private static final int MAX_ENTRIES = 10_000;

  private final Set<String> found = new LinkedHashSet<>();
  private boolean cut;

  private Folders() {}

  /** The folders, and whether there are more. */
  public Set<String> found() {
    return found;
  }

  public boolean isCut() {
    return cut;
  }

  /** Whether the options of a reader let it read what lies below other folders than those of partitions. */
  public static boolean areReadBelow(Object options) {
    for (Object each : Mirror.list(Mirror.ask(options, "keySet"))) {
      if (each.toString().toLowerCase(Locale.ROOT).equals("recursivefilelookup")) {
        return "true".equalsIgnoreCase(String.valueOf(Mirror.lookup(options, each)));
      }
    }
    return false;
  }

  /** The roots of a file index; with {@code below}, the folders of the files that Spark has listed for a read of these. */
  public static Folders of(Object index, boolean below) {
    Folders folders = new Folders();
    Set<Path> roots = new LinkedHashSet<>();
    Mirror.list(Mirror.ask(index, "rootPaths")).forEach(each -> roots.add((Path) each));
    Configuration conf = conf();
    List<Object> files = below ? Mirror.list(Mirror.ask(index, "allFiles")) : Collections.emptyList();
    if (files.isEmpty()) {
      roots.forEach(each -> folders.found.add(WholeOfData.of(each, conf).toString()));
    }
    for (Object each : files) {
      Path file = ((FileStatus) each).getPath();
      if (!DirectoryFiles.isHidden(file.getName())) {
        folders.add(roots.contains(file) ? file : whole(file.getParent(), roots), conf);
      }
    }
    return folders;
  }

  /** The application's settings, by which files are found; null where none runs. */
  static Configuration conf() {
    try {
      SparkContext context = (SparkContext) Mirror.activeContext();
      return context == null ? null : context.hadoopConfiguration();
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }

  /** Those that a path of Hadoop's means, which may be a pattern; the path itself where it is none. */
  public static Folders of(Path path, Configuration conf, boolean recursive) throws IOException {
    Folders folders = new Folders();
    FileSystem system = path.getFileSystem(conf);
    FileStatus[] meant = recursive || isPattern(path) ? system.globStatus(path) : null;
    if (meant == null || meant.length == 0) {
      folders.found.add(path.toString());
      return folders;
    }
    ArrayDeque<FileStatus> pending = new ArrayDeque<>();
    for (FileStatus each : meant) {
      if (each.isDirectory() && recursive) {
        pending.add(each);
      } else {
        folders.add(each.isDirectory() ? each.getPath() : each.getPath().getParent(), conf);
      }
    }
    for (int entries = 0; !pending.isEmpty(); ) {
      for (FileStatus each : system.listStatus(pending.poll().getPath())) {
        if (++entries > MAX_ENTRIES) {
          folders.cut = true;
          return folders;
        }
        Path place = each.getPath();
        if (DirectoryFiles.isHidden(place.getName())) {
          continue;
        }
        if (each.isDirectory()) {
          pending.add(each);
        } else {
          folders.add(place.getParent(), conf);
        }
      }
    }
    return folders;
  }

  private static boolean isPattern(Path path) {
    return path.toString().matches(".*[*?\\[{].*");
  }

  private void add(Path folder, Configuration conf) {
    String place = WholeOfData.of(folder, conf).toString();
    if (found.size() < MAX_FOLDERS || found.contains(place)) {
      found.add(place);
    } else {
      cut = true;
    }
  }

  /** Above the folders of partitions, but for those that were asked for. */
  private static Path whole(Path folder, Set<Path> roots) {
    Path above = folder;
    while (above.getName().contains("=") && !roots.contains(above)) {
      above = above.getParent();
    }
    return above;
  }
}
