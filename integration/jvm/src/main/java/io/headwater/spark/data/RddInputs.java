package io.headwater.spark.data;

import io.headwater.spark.document.Json;
import io.headwater.spark.document.Redaction;
import io.headwater.spark.reflection.Mirror;
import java.io.IOException;
import java.util.AbstractMap.SimpleImmutableEntry;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.StringUtils;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.types.StructType;

/**
 * The files below an RDD, found by following its dependencies to Hadoop RDDs and file scans. At most
 * {@link #MAX_RDDS} RDDs are looked at and {@link #MAX_ROOTS} roots kept; a bound that was reached is marked
 * ({@code "partial": true}), and so are an RDD of unknown origin beside known ones and rows that a join has broadcast,
 * which no dependency shows. An RDD that goes back to the driver's own collections only is data in memory. A place below
 * an RDD that is kept ({@code persist}) may have been read {@code since} that was first used.
 */
public final class RddInputs {
  private static final int MAX_RDDS = 500;
  private static final int MAX_ROOTS = 100;
  private static final int MAX_FILES = 10_000;
  private static final String READER =
      "org$apache$spark$sql$execution$datasources$FileScanRDD$$readFunction";
  private static final Pattern SETTINGS = Pattern.compile("\\.SerializableConfiguration$");
  private static final Pattern OPTIONS = Pattern.compile("Options(InRead)?$");

  /** Each place with the columns that are read there, as type JSON; null where they are not known. */
  private final Set<Map.Entry<String, String>> roots = new LinkedHashSet<>();
  /** When a kept RDD on the way to each place was first used, where there is one. */
  private final Map<String, Long> since = new HashMap<>();
  private final Map<RDD<?>, Long> keptSince = new IdentityHashMap<>();
  private final ArrayDeque<RDD<?>> pending = new ArrayDeque<>();
  private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
  /** When the first kept RDD above the visited one was first used; null where there is none. */
  private Long kept;
  private boolean partial;
  private boolean inMemory;
  private boolean elsewhere;

  private RddInputs() {}

  public static void describe(Object rdd, Json out) {
    RddInputs inputs = new RddInputs();
    if (rdd instanceof RDD) {
      inputs.search((RDD<?>) rdd);
    }
    out.field("kind", inputs.areInMemory() ? "memory" : "rdd");
    if (rdd instanceof RDD) {
      out.field("id", ((RDD<?>) rdd).id());
      out.field("checkpointed", ((RDD<?>) rdd).isCheckpointed());
    }
    inputs.write(out);
  }

  private boolean areInMemory() {
    return inMemory && !elsewhere && !partial && roots.isEmpty();
  }

  private void write(Json out) {
    out.key("inputs").raw("[");
    for (Map.Entry<String, String> root : roots) {
      out.next().raw("{").field("kind", "files");
      Redaction.urls("roots", Collections.singletonList(root.getKey()), out);
      if (root.getValue() != null) {
        out.key("columns").text(root.getValue());
      }
      if (since.containsKey(root.getKey())) {
        out.field("since", since.get(root.getKey()));
      }
      out.raw("}");
    }
    out.raw("]");
    if (partial || elsewhere && !roots.isEmpty()) {
      out.field("partial", true);
    }
  }

  private void search(RDD<?> start) {
    pending.add(start);
    while (!pending.isEmpty()) {
      RDD<?> rdd = pending.poll();
      if (seen.add(rdd)) {
        keptSince.put(rdd, KeptRdds.earlier(keptSince.get(rdd), KeptRdds.since(rdd)));
        if (seen.size() > MAX_RDDS) {
          partial = true;
          return;
        }
        visit(rdd);
      }
    }
  }

  private void visit(RDD<?> rdd) {
    kept = keptSince.get(rdd);
    try {
      switch (Mirror.simpleName(rdd.getClass())) {
        case "HadoopRDD":
          configured((Configuration) Mirror.get(rdd, "getJobConf"));
          break;
        case "NewHadoopRDD":
        case "BinaryFileRDD":
        case "WholeTextFileRDD":
          configured((Configuration) Mirror.get(rdd, "getConf"));
          break;
        case "FileScanRDD":
          scanned(rdd);
          break;
        case "ParallelCollectionRDD":
        case "EmptyRDD":
          inMemory = true;
          break;
        default:
          follow(rdd);
      }
    } catch (Exception | LinkageError e) {
      partial = true;
    }
  }

  private void follow(RDD<?> rdd) {
    List<Object> dependencies = Mirror.list(Mirror.get(rdd, "dependencies"));
    elsewhere |= dependencies.isEmpty();
    partial = partial || usesBroadcast(rdd);
    for (Object dependency : dependencies) {
      Object parent = Mirror.get(dependency, "rdd");
      if (parent instanceof RDD) {
        keptSince.put((RDD<?>) parent, KeptRdds.earlier(keptSince.get(parent), kept));
        pending.add((RDD<?>) parent);
      }
    }
  }

  /** Whether it computes with rows that were broadcast, whose RDD is none of those below it. */
  static boolean usesBroadcast(RDD<?> rdd) {
    return Mirror.captured(Mirror.field(rdd, "f"), RddInputs::isBroadcast, 5) != null;
  }

  /** Whether it is a broadcast of anything but the settings by which Hadoop's files are read. */
  private static boolean isBroadcast(Object value) {
    return value instanceof Broadcast
        && !SETTINGS.matcher(String.valueOf(Mirror.field(value, "evidence$1"))).find();
  }

  private void configured(Configuration conf) throws IOException {
    String paths = conf == null ? null : conf.get("mapreduce.input.fileinputformat.inputdir");
    if (paths == null) {
      partial = true;
      return;
    }
    boolean recursive = conf.getBoolean("mapreduce.input.fileinputformat.input.dir.recursive", false);
    for (String path : StringUtils.split(paths)) {
      Folders folders = Folders.of(new Path(StringUtils.unEscapeString(path)), conf, recursive);
      partial |= folders.isCut();
      folders.found().forEach(each -> add(each, null));
    }
  }

  /**
   * A file scan knows its files, the columns that it takes out of them (those of a filter that it was handed too) and
   * the values of the directories {@code key=value} above them, by which files may have been left out.
   */
  private void scanned(RDD<?> rdd) {
    Object schema = Mirror.get(rdd, "readSchema");
    String asked = asked(rdd);
    int files = 0;
    for (Object partition : Mirror.list(Mirror.get(rdd, "filePartitions"))) {
      for (Object file : Mirror.list(Mirror.get(partition, "files"))) {
        if (++files > MAX_FILES) {
          partial = true;
          return;
        }
        scanned(file, schema instanceof StructType ? (StructType) schema : null, asked);
      }
    }
  }

  /**
   * The path that the program gave to the reader; null where there were several, and for formats whose reader does not
   * keep its options.
   */
  private static String asked(RDD<?> scan) {
    Object options = Mirror.captured(Mirror.field(scan, READER), OPTIONS, 3);
    Object path = Mirror.lookup(Mirror.field(options, "parameters"), "path");
    return path == null ? null : new Path(path.toString()).toUri().getPath();
  }

  private void scanned(Object file, StructType schema, String asked) {
    StructType columns = schema;
    int keys = 0;
    String path = Mirror.text(file, "filePath");
    if (asked != null && path.endsWith(asked)) {
      add(path, schema == null ? null : schema.json());
      return;
    }
    String directory = parent(path);
    for (int equals = key(directory); equals > 0; equals = key(directory)) {
      String name = directory.substring(directory.lastIndexOf('/') + 1, equals);
      columns = columns == null || name.contains("%") ? null : columns.add(name, "string");
      directory = parent(directory);
      keys++;
    }
    Object values = Mirror.get(Mirror.get(file, "partitionValues"), "numFields");
    add(directory, columns == null || !Integer.valueOf(keys).equals(values) ? null : columns.json());
  }

  /** Where the equals sign of a directory {@code key=value} is; -1 for another directory. */
  private static int key(String directory) {
    int equals = directory.lastIndexOf('=');
    int name = directory.lastIndexOf('/') + 1;
    int first = directory.indexOf('=', name);
    return equals < name || first == name ? -1 : first;
  }

  private static String parent(String path) {
    int slash = path.lastIndexOf('/');
    return slash <= 0 ? path : path.substring(0, slash);
  }

  private void add(String path, String columns) {
    Map.Entry<String, String> root = new SimpleImmutableEntry<>(new Path(path).toString(), columns);
    if (roots.size() < MAX_ROOTS || roots.contains(root)) {
      roots.add(root);
      if (kept != null) {
        since.merge(root.getKey(), kept, KeptRdds::earlier);
      }
    } else {
      partial = true;
    }
  }
}
