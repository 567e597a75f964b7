package io.headwater.spark.code;

import io.headwater.spark.document.Json;
import java.io.File;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;
import org.apache.spark.SparkEnv;
import org.apache.spark.SparkFiles;

/**
 * The files of Python that go to the workers with a function ({@code --py-files}, {@code addPyFile}), where the driver
 * keeps its own copies of them. The brain reads what their modules do without importing them.
 */
public final class ShippedFiles {
  private static final int MOST = 50;

  private ShippedFiles() {}

  /** Writes where they are, with those of these names; nothing if one is not there, or there are too many. */
  public static void write(Iterable<String> included, Json out) {
    File folder = SparkEnv.get() == null ? null : new File(SparkFiles.getRootDirectory());
    File[] single = folder == null ? null : folder.listFiles(ShippedFiles::isImported);
    if (single == null) {
      return;
    }
    Set<File> files = new LinkedHashSet<>(Arrays.asList(single));
    for (String name : included) {
      files.add(new File(folder, name));
    }
    if (!files.isEmpty() && files.size() <= MOST && files.stream().allMatch(File::exists)) {
      out.key("shipped").raw("[");
      files.forEach(file -> out.next().string(file.getPath()));
      out.raw("]");
    }
  }

  /** Whether it is found where workers look for modules without being named: a module, or a folder of some. */
  private static boolean isImported(File file) {
    return file.isDirectory() || file.getName().endsWith(".py");
  }
}
