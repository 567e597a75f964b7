package io.headwater.spark.data;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;

/**
 * The files in a directory and in those of its partitions, as readers see them. What a later write has added before
 * anybody looked is left out: Spark gives the files of a write one number, and their times are of one clock.
 */
final class DirectoryFiles {
  private static final Pattern WRITE = Pattern.compile("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}");

  private static final int ATTEMPTS = 5;

  private final List<FileStatus> files = new ArrayList<>();
  private final int most;
  private int entries;
  private boolean elsewhere;

  private DirectoryFiles(int most) {
    this.most = most;
  }

  /** The files of one write. */
  private static final class Group {
    long count;
    long size;
    long first = Long.MAX_VALUE;
    long last;

    void add(FileStatus file) {
      count += 1;
      size += file.getLen();
      first = Math.min(first, file.getModificationTime());
      last = Math.max(last, file.getModificationTime());
    }
  }

  /**
   * What is there now, up to {@code most} entries. Where a writer removes its temporary files meanwhile, some file systems
   * fail to list them, so that they are asked again.
   *
   * @param below whether to look for files below directories that are no partitions
   */
  static DirectoryFiles in(FileSystem system, Path directory, int most, boolean below) throws IOException {
    for (int attempt = 1; ; attempt++) {
      DirectoryFiles found = new DirectoryFiles(most);
      try {
        found.list(system, directory, below);
        return found;
      } catch (IOException e) {
        if (attempt == ATTEMPTS || !system.exists(directory)) {
          throw e;
        }
      }
    }
  }

  /** How many entries were seen, at most one more than asked for. */
  int entries() {
    return entries;
  }

  /** Whether not all entries were seen. */
  boolean isCut() {
    return entries > most;
  }

  /** Whether there are files below directories that are no partitions, which only those see who read recursively. */
  boolean hasOthersBelow() {
    return elsewhere;
  }

  /** What is there beside the files of one write; null where there are fewer. */
  Content besideWrite(long written, long size) {
    Group own = own(written, size);
    Group all = new Group();
    for (FileStatus file : files) {
      if (own == null || file.getModificationTime() <= own.last) {
        all.add(file);
      }
    }
    return all.count < written ? null : Content.files(all.count, all.size, written, size);
  }

  /** What is there beside the files of these names, which may be of many writes. */
  Content besideNamed(Collection<String> names) {
    Set<String> known = new HashSet<>(names);
    Group own = new Group();
    for (FileStatus file : files) {
      if (known.contains(file.getPath().getName())) {
        own.add(file);
      }
    }
    Group all = new Group();
    for (FileStatus file : files) {
      if (file.getModificationTime() <= own.last) {
        all.add(file);
      }
    }
    return Content.files(all.count, all.size, own.count, own.size);
  }

  /** The files of the last write that made as many of that size; null where there is none. */
  private Group own(long written, long size) {
    Map<String, Group> groups = new HashMap<>();
    for (FileStatus file : files) {
      Matcher number = WRITE.matcher(file.getPath().getName());
      if (number.find()) {
        groups.computeIfAbsent(number.group(), key -> new Group()).add(file);
      }
    }
    Group own = null;
    for (Group each : groups.values()) {
      if (each.count == written && each.size == size && (own == null || each.first > own.first)) {
        own = each;
      }
    }
    return own;
  }

  private void list(FileSystem system, Path directory, boolean below) throws IOException {
    ArrayDeque<Path> pending = new ArrayDeque<>();
    ArrayDeque<Path> others = new ArrayDeque<>();
    pending.add(directory);
    while (!pending.isEmpty() || (below && !elsewhere && !others.isEmpty())) {
      boolean isOther = pending.isEmpty();
      RemoteIterator<FileStatus> listed = system.listStatusIterator(isOther ? others.poll() : pending.poll());
      while (listed.hasNext()) {
        FileStatus each = listed.next();
        String name = each.getPath().getName();
        if (++entries > most) {
          return;
        }
        if (isHidden(name)) {
          continue;
        }
        if (each.isDirectory()) {
          (isOther || !name.contains("=") ? others : pending).add(each.getPath());
        } else if (isOther) {
          elsewhere = true;
        } else {
          files.add(each);
        }
      }
    }
  }

  /** All files that were seen. */
  String figures() {
    Group all = new Group();
    files.forEach(all::add);
    return Content.figures(all.count, all.size);
  }

  /** By Spark's own rule: the directory of a partition may begin with an underscore. */
  static boolean isHidden(String name) {
    return name.startsWith(".") || (name.startsWith("_") && !name.contains("="));
  }
}
