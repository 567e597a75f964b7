package io.headwater.spark.run;

import io.headwater.spark.document.Json;
import io.headwater.spark.reflection.Mirror;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart;

/** Who asked for an execution of a Spark Connect server: it tags what it runs with the client's user. */
final class ConnectClient {
  private static final Pattern TAG =
      Pattern.compile("SparkConnect_(?:OperationTag|Execute)_User_(.+)_Session_(.+)_(?:Operation|Request)_(.+)");

  private ConnectClient() {}

  /** Appends {@code ,"client":{"user", "application"}}, or nothing where no Connect client is behind it. */
  static void write(SparkListenerSQLExecutionStart event, Object session, Json out) {
    for (String tag : Mirror.texts(Mirror.get(event, "jobTags"))) {
      Matcher found = TAG.matcher(tag);
      if (found.find()) {
        out.key("client").raw("{").field("user", found.group(1));
        out.field("application", application(session)).raw("}");
        return;
      }
    }
  }

  /** The name that the client's own session has; the server's where it has none. */
  private static String application(Object session) {
    Object settings = Mirror.path(session, "sessionState", "conf", "settings");
    Object name = settings == null ? null : Mirror.lookup(settings, "spark.app.name");
    return name == null ? null : name.toString();
  }
}
