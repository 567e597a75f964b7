package io.headwater.spark.data;

import io.headwater.spark.document.Json;
import io.headwater.spark.document.Redaction;
import io.headwater.spark.reflection.Mirror;
import org.apache.hadoop.fs.FileSystem;
import org.apache.spark.SparkContext;

/**
 * Where a path that names no server or no directory begins. Spark resolves such paths with the driver's settings, so that
 * the brain needs to know: {@code "working"}, the default file system's working directory, and {@code "local"}, the
 * driver's own where that is another one.
 */
public final class Places {
  private static volatile Object known;
  private static volatile String working;

  private Places() {}

  public static void write(Json out) {
    String place = working();
    String local = "file:" + System.getProperty("user.dir");
    out.field("working", place == null ? local : place);
    if (place != null && !place.equals(local)) {
      out.field("local", local);
    }
  }

  /** Once for each application; null where no application runs. */
  private static String working() {
    try {
      SparkContext context = (SparkContext) Mirror.activeContext();
      if (context != null && context != known) {
        FileSystem files = FileSystem.get(context.hadoopConfiguration());
        working = Redaction.url(files.makeQualified(files.getWorkingDirectory()).toString());
        known = context;
      }
      return working;
    } catch (Exception | LinkageError e) {
      return null;
    }
  }
}
