package io.headwater.spark.data;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;

/**
 * The dataset that a folder {@code data} is a part of: a table of Iceberg's, or a model of Spark's machine learning library,
 * which may be inside another one. Both keep {@code metadata} beside it, and are known by what is in there: many a program
 * has folders of these names.
 */
final class WholeOfData {
  private static final String DATA = "data";
  private static final String METADATA = "metadata";
  private static final String OF_TABLE = ".metadata.json";
  private static final String OF_MODEL = "{\"class\":\"org.apache.spark.ml.";
  private static final int MAX_ENTRIES = 1_000;
  private static final int MAX_DEPTH = 16;

  private enum Kind {
    TABLE,
    MODEL,
    NEITHER
  }

  private WholeOfData() {}

  /** The dataset; the folder itself where it is a dataset of its own, or nothing is known of it. */
  static Path of(Path folder, Configuration conf) {
    if (conf == null || !folder.getName().equals(DATA)) {
      return folder;
    }
    try {
      FileSystem system = folder.getFileSystem(conf);
      Path above = folder.getParent();
      switch (kind(system, above)) {
        case TABLE:
          return above;
        case MODEL:
          return outermost(system, above);
        default:
          return folder;
      }
    } catch (IOException | RuntimeException e) {
      return folder;
    }
  }

  private static Path outermost(FileSystem system, Path model) throws IOException {
    Path found = model;
    Path each = model.getParent();
    for (int depth = 0; each != null && depth < MAX_DEPTH; depth++, each = each.getParent()) {
      found = kind(system, each) == Kind.MODEL ? each : found;
    }
    return found;
  }

  /** Of what the folder has the metadata. */
  private static Kind kind(FileSystem system, Path folder) throws IOException {
    Path metadata = new Path(folder, METADATA);
    if (!system.exists(metadata)) {
      return Kind.NEITHER;
    }
    RemoteIterator<FileStatus> files = system.listStatusIterator(metadata);
    for (int i = 0; i < MAX_ENTRIES && files.hasNext(); i++) {
      Path file = files.next().getPath();
      if (file.getName().endsWith(OF_TABLE)) {
        return Kind.TABLE;
      }
      if (file.getName().startsWith("part-") && beginsAsModel(system, file)) {
        return Kind.MODEL;
      }
    }
    return Kind.NEITHER;
  }

  private static boolean beginsAsModel(FileSystem system, Path file) throws IOException {
    byte[] begin = new byte[OF_MODEL.length()];
    try (InputStream in = system.open(file)) {
      int read = 0;
      for (int more = 0; more >= 0 && read < begin.length; read += Math.max(more, 0)) {
        more = in.read(begin, read, begin.length - read);
      }
      return OF_MODEL.equals(new String(begin, 0, read, StandardCharsets.UTF_8));
    }
  }
}
