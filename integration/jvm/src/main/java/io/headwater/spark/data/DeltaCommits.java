package io.headwater.spark.data;

import io.headwater.spark.reflection.Mirror;
import java.io.IOException;
import java.lang.reflect.Method;
import java.sql.Timestamp;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.metric.SQLMetric;

/**
 * Which version of a Delta table an execution committed. Delta notifies nobody; but each commit states when it was made and
 * what it counted. A commit is an execution's own when it falls into the execution's time and its figures are those
 * that the execution's plan or its tasks counted, to the byte. Exactly one such commit is reported; of two alike, as two
 * writers may make them at once, neither. A commit of a streaming query's micro-batch names the query and the batch.
 *
 * <p>An execution that changed nothing commits nothing, and no commit is taken for its own: some figure has to be more
 * than zero.
 */
public final class DeltaCommits {
  private static final int MAX_COMMITS = 10;
  private static final String DELTA = "org.apache.spark.sql.delta.";
  private static final String TIME = "executionTimeMs";
  private static final String ROWS = "numOutputRows";
  private static final String BYTES = "numOutputBytes";
  private static final int MAX_BEFORE = 20;
  private static final int MAX_TABLES = 10_000;
  /** Operations that bring no rows: they arrange, delete or describe what is there. */
  private static final Pattern WITHOUT_ROWS =
      Pattern.compile("OPTIMIZE|REORG.*|VACUUM.*|DELETE|COMPUTE STATS|FSCK|CLUSTER BY"
          + "|(UN)?SET TBLPROPERTIES|(ADD|DROP|UPDATE|CHANGE|RENAME|REPLACE) COLUMNS?|UPDATE SCHEMA"
          + "|UPGRADE PROTOCOL|(ADD|DROP) (CONSTRAINT|FEATURE)|DROP TABLE FEATURE|SET TABLE LOCATION");
  /** Operations after which the table is empty. */
  private static final Pattern EMPTYING = Pattern.compile("((CREATE|REPLACE|CREATE OR REPLACE) TABLE|TRUNCATE)");
  /** The last version that this application made of each table, which is known without a look into its log. */
  private static final Map<String, Long> OWN = new ConcurrentHashMap<>();
  /** Of deletion vectors the plan and the commit count different things, so the rows stand for them. */
  private static final List<String> FIGURES =
      Arrays.asList(
          TIME, ROWS, BYTES, "numAddedFiles", "numRemovedFiles", "numAddedBytes", "numRemovedBytes", "numUpdatedRows",
          "numDeletedRows", "numTargetFilesAdded", "numTargetFilesRemoved", "numTargetBytesAdded",
          "numTargetBytesRemoved", "numTargetRowsInserted", "numTargetRowsUpdated", "numTargetRowsDeleted");

  private final Object log;
  private final Configuration conf;
  private final Object plan;
  private final Object metrics;
  private final Counts written;
  private String version;
  private Content content;

  private DeltaCommits(Object log, Object plan, Object metrics, Counts written) {
    this.log = log;
    this.plan = plan;
    this.conf = (Configuration) Mirror.get(log, "newDeltaHadoopConf");
    this.metrics = metrics;
    this.written = written;
  }

  /** The version that it made; null where that is not certain. */
  public String version() {
    return version;
  }

  /** The schema of the table as its newest known version has it, with the numbers of mapped columns. */
  public Object columns() {
    return Mirror.ask(log, "unsafeVolatileSnapshot", "metadata", "schema");
  }

  /** What was in the table before, and is now; null where that is not known. */
  public Content content() {
    return content;
  }

  /**
   * What the execution wrote; null where it writes no Delta table.
   *
   * @param from when the execution started, in epoch milliseconds
   * @param to when it ended
   * @param written by its tasks, those of its inner executions included
   */
  public static DeltaCommits of(QueryExecution query, long from, long to, Counts written) {
    try {
      Object log = log(query);
      if (log == null) {
        return null;
      }
      DeltaCommits commits = of(log, query, written);
      commits.version = commits.own(from, to);
      commits.content = commits.contentSince(from);
      return commits;
    } catch (ReflectiveOperationException | IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static DeltaCommits of(Object log, QueryExecution query, Counts written) {
    return new DeltaCommits(log, query.analyzed(), ExecutedCommand.metrics(query.executedPlan()), written);
  }

  /** The newest commits, back to the first that is older than the execution. */
  private String own(long from, long to) throws ReflectiveOperationException, IOException {
    long newest = newest();
    String found = null;
    for (long version = newest; version >= 0 && version > newest - MAX_COMMITS; version--) {
      Path file = file(version);
      if (!file.getFileSystem(conf).exists(file)) {
        return found; // what Delta has cleaned away is old; the newest is missing only where a catalog keeps it
      }
      Object commit = commit(file);
      long time = commit == null ? to : ((Timestamp) Mirror.get(commit, "timestamp")).getTime();
      if (time < from) {
        return found;
      }
      if (commit != null && time <= to && isOwn(commit)) {
        if (found != null) {
          return null;
        }
        found = Long.toString(version);
      }
    }
    return newest < MAX_COMMITS ? found : null;
  }

  /** By its own version, or by the last one from before it began where that is not known. */
  private Content contentSince(long from) throws ReflectiveOperationException, IOException {
    String table = Mirror.text(log, "logPath");
    Long last = OWN.get(table);
    long newest = version == null ? newest() : Long.parseLong(version) - 1;
    if (version != null && (last != null || OWN.size() < MAX_TABLES)) {
      OWN.put(table, newest + 1);
    }
    if (version != null && last != null && last == newest) {
      return Content.versions(Long.toString(newest), version);
    }
    return Content.versions(lastWithRows(newest, version == null ? from : Long.MAX_VALUE), version);
  }

  /**
   * The version that brought the rows which a table has in {@code newest}; null for an empty table.
   *
   * @param from commits from then on are left out, which may be somebody's own, in epoch milliseconds
   */
  private String lastWithRows(long newest, long from) throws ReflectiveOperationException, IOException {
    for (long before = newest; before >= 0 && before > newest - MAX_BEFORE; before--) {
      Path file = file(before);
      Object commit = file.getFileSystem(conf).exists(file) ? commit(file) : null;
      if (commit != null && ((Timestamp) Mirror.get(commit, "timestamp")).getTime() >= from) {
        continue;
      }
      if (commit != null && empties(commit)) {
        return null;
      }
      if (commit == null || bringsRows(commit)) {
        return Long.toString(before);
      }
    }
    return newest < MAX_BEFORE ? null : Long.toString(newest);
  }

  /** The state in which a read finds a table, of a version that it has. */
  static String found(Object log, long version) throws ReflectiveOperationException, IOException {
    Long own = OWN.get(Mirror.text(log, "logPath"));
    boolean isOwn = own != null && own == version;
    return Content.found(
        isOwn ? own.toString() : new DeltaCommits(log, null, null, null).lastWithRows(version, Long.MAX_VALUE));
  }

  private static boolean empties(Object commit) {
    return EMPTYING.matcher(Mirror.text(commit, "operation")).matches()
        && Mirror.lookup(Mirror.get(commit, "operationMetrics"), ROWS) == null;
  }

  /** Not so where it says that it wrote none; where it replaced all, nothing of before is left. */
  private static boolean bringsRows(Object commit) {
    Object mode = Mirror.lookup(Mirror.get(commit, "operationParameters"), "mode");
    boolean replaces = mode != null && mode.toString().toLowerCase(Locale.ROOT).contains("overwrite");
    boolean none = "0".equals(Mirror.lookup(Mirror.get(commit, "operationMetrics"), ROWS));
    return replaces || !(none || WITHOUT_ROWS.matcher(Mirror.text(commit, "operation")).matches());
  }

  private long newest() {
    return (Long) Mirror.path(log, "unsafeVolatileSnapshot", "version");
  }

  private Path file(long version) {
    return new Path((Path) Mirror.get(log, "logPath"), String.format("%020d.json", version));
  }

  private boolean isOwn(Object commit) {
    return Mirror.get(plan, "sink") == null ? countsAlike(commit) : isOfBatch(commit);
  }

  private boolean isOfBatch(Object commit) {
    Object parameters = Mirror.get(commit, "operationParameters");
    return holds(parameters, "queryId", Mirror.text(plan, "queryId"))
        && holds(parameters, "epochId", Mirror.text(plan, "batchId"));
  }

  /** A commit's parameters are JSON texts, of which some versions of Delta have taken off the quotes. */
  private static boolean holds(Object parameters, String name, String value) {
    Object stated = Mirror.lookup(parameters, name);
    return value != null && stated != null && stated.toString().replace("\"", "").equals(value);
  }

  private boolean countsAlike(Object commit) {
    Object stated = Mirror.get(commit, "operationMetrics");
    boolean changed = false;
    for (String name : FIGURES) {
      long counted = counted(name, stated);
      Object figure = Mirror.lookup(stated, name);
      if (figure != null && counted >= 0) {
        if (!figure.equals(Long.toString(counted))) {
          return false;
        }
        changed |= counted > 0 && !name.equals(TIME);
      }
    }
    return changed;
  }

  /** What the command's plan counted under that name, or its tasks where the commit counts what was written; else -1. */
  private long counted(String name, Object stated) {
    Object metric = Mirror.lookup(metrics, name);
    if (metric instanceof SQLMetric) {
      return ((SQLMetric) metric).value();
    }
    if (Mirror.lookup(stated, BYTES) == null) {
      return -1;
    }
    return name.equals(BYTES) ? written.bytesWritten : name.equals(ROWS) ? written.rowsWritten : -1;
  }

  /** What a commit states of itself; null where its writer has left that out. */
  private Object commit(Path file) throws ReflectiveOperationException {
    Object history = companion("DeltaHistoryManager");
    for (Method method : history.getClass().getMethods()) {
      if (method.getName().equals("getCommitInfoOpt") && method.getParameterCount() == 3) {
        return Mirror.content(method.invoke(history, Mirror.get(log, "store"), file, conf));
      }
    }
    return null;
  }

  private static Object log(QueryExecution query) throws ReflectiveOperationException {
    Object plan = query.analyzed();
    String[][] ways = {
      {"deltaLog"}, {"tahoeFileIndex", "deltaLog"}, {"targetFileIndex", "deltaLog"}, {"table", "table", "deltaLog"}
    };
    for (String[] way : ways) {
      Object found = Mirror.path(plan, way);
      if (found != null) {
        return found;
      }
    }
    return named(plan, Mirror.get(query, "sparkSession"));
  }

  /** The log of a table that the plan names only: Delta keeps it, since the table has just been written. */
  private static Object named(Object plan, Object session) throws ReflectiveOperationException {
    Object sink = Mirror.get(plan, "sink");
    if (sink != null && sink.getClass().getName().startsWith(DELTA)) {
      return log(session, Path.class, Mirror.get(sink, "path"));
    }
    Object source = Mirror.get(plan, "dataSource");
    if (source != null && source.getClass().getName().startsWith(DELTA)) {
      Object path = Mirror.lookup(Mirror.get(plan, "options"), "path");
      return path == null ? null : log(session, Path.class, new Path(path.toString()));
    }
    Object identifier = Mirror.path(plan, "name", "identifier");
    if (identifier != null && "delta".equalsIgnoreCase(Mirror.text(plan, "tableSpec", "provider"))) {
      String location = Mirror.text(plan, "tableSpec", "location");
      String name = Mirror.text(identifier, "name");
      if (location != null || name.startsWith("/") || name.contains(":/")) {
        return log(session, Path.class, new Path(location == null ? name : location));
      }
      String database = String.valueOf(Mirror.list(Mirror.get(identifier, "namespace")).get(0));
      return log(session, TableIdentifier.class, new TableIdentifier(name, scala.Option.apply(database)));
    }
    return null;
  }

  private static Object log(Object session, Class<?> type, Object table) throws ReflectiveOperationException {
    Object companion = companion("DeltaLog");
    for (Method method : companion.getClass().getMethods()) {
      Class<?>[] parameters = method.getParameterTypes();
      if (method.getName().equals("forTable") && parameters.length == 2 && parameters[1] == type) {
        return method.invoke(companion, session, table);
      }
    }
    return null;
  }

  private static Object companion(String name) throws ReflectiveOperationException {
    return Mirror.companion(DELTA + name, Thread.currentThread().getContextClassLoader());
  }
}
