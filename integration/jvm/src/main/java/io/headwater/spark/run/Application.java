package io.headwater.spark.run;

import io.headwater.spark.document.Json;
import io.headwater.spark.document.Redaction;
import io.headwater.spark.reflection.Mirror;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.SparkListenerApplicationStart;

/** The document that introduces the application: who it is and which settings the brain may need. */
public final class Application {
  private static final String WAREHOUSE = "spark.sql.warehouse.dir";
  private static final Set<String> SHOWN =
      new HashSet<>(
          Arrays.asList(
              "spark.master", "spark.app.name", WAREHOUSE, "spark.sql.catalogImplementation",
              "spark.hadoop.hive.metastore.uris", "hive.metastore.uris"));

  private final SparkConf conf;
  private final String id;
  private final String name;
  private final String user;
  private final String attempt;
  private final long startTime;

  private Application(
      SparkConf conf, String id, String name, String user, String attempt, long startTime) {
    this.conf = conf;
    this.id = id;
    this.name = name;
    this.user = user;
    this.attempt = attempt;
    this.startTime = startTime;
  }

  public static Application of(SparkListenerApplicationStart event, SparkConf conf) {
    return new Application(
        conf,
        (String) Mirror.content(event.appId()),
        event.appName(),
        event.sparkUser(),
        (String) Mirror.content(event.appAttemptId()),
        event.time());
  }

  public static Application of(SparkContext context, SparkConf conf) {
    return new Application(
        conf,
        context.applicationId(),
        context.appName(),
        context.sparkUser(),
        (String) Mirror.content(context.applicationAttemptId()),
        context.startTime());
  }

  public void write(Json out) {
    out.raw("{\"v\":1").field("kind", "application").field("time", startTime);
    out.key("application").raw("{");
    out.field("id", id).field("name", name).field("user", user).field("attempt", attempt);
    out.field("startTime", startTime).field("master", conf.get("spark.master", null));
    out.field("deployMode", conf.get("spark.submit.deployMode", "client"));
    out.raw("}").key("versions").raw("{");
    out.field("spark", org.apache.spark.package$.MODULE$.SPARK_VERSION());
    out.field("scala", scala.util.Properties$.MODULE$.versionNumberString());
    out.field("java", System.getProperty("java.version"));
    out.field("headwater", version());
    out.raw("}").key("conf").raw("{");
    settings(out);
    out.raw("}}");
  }

  private void settings(Json out) {
    for (scala.Tuple2<String, String> entry : conf.getAll()) {
      String key = entry._1();
      if (SHOWN.contains(key) || ours(key) || catalog(key)) {
        out.key(key).string(catalog(key) ? Redaction.url(entry._2()) : entry._2());
      }
    }
    if (!conf.contains(WAREHOUSE)) {
      out.field(WAREHOUSE, Paths.get("spark-warehouse").toAbsolutePath().toUri().toString());
    }
  }

  /** The jar's version; a resource, because classes may also lie in a directory without a manifest. */
  private static String version() {
    try (InputStream resource = Application.class.getResourceAsStream("/io/headwater/spark/version.txt")) {
      return resource == null ? null : new BufferedReader(new InputStreamReader(resource)).readLine();
    } catch (IOException e) {
      return null;
    }
  }

  private static boolean ours(String key) {
    return key.startsWith("spark.openlineage.") || key.startsWith("spark.headwater.");
  }

  private static boolean catalog(String key) {
    if (!key.startsWith("spark.sql.catalog.")) {
      return false;
    }
    String rest = key.substring("spark.sql.catalog.".length());
    String property = rest.substring(rest.indexOf('.') + 1);
    return !rest.contains(".") || Arrays.asList("type", "uri", "warehouse").contains(property);
  }
}
