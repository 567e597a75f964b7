package io.headwater.spark.run;

import io.headwater.spark.document.Json;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How the driver's JVM comes to end the application, as far as it can know. A session that is stopped by the program shows
 * nothing of how the program goes on. While the JVM leaves, its threads show why: the one that handles a signal is named
 * after it, and the one that leaves with an exit code, which no method gives, has called {@code System.exit}.
 * {@code spark-submit} does so where the program failed; the gateway of a Python program whenever that ends, well or not.
 */
public final class Ending {
  private static final Pattern SIGNAL = Pattern.compile("(SIG(?:TERM|INT|HUP)) handler");
  private static final String SUBMIT = "org.apache.spark.deploy.SparkSubmit$$anon$";
  private static final Pattern BETWEEN = Pattern.compile("java\\.|scala\\.|org\\.apache\\.spark\\.util\\.CommandLine");

  private Ending() {}

  /** @param exitCode what Spark reports since version 4, which is 0 too where the program gave none, or null */
  public static void write(Object exitCode, Json out) {
    if (exitCode instanceof Integer && (Integer) exitCode != 0) {
      out.field("exitCode", (Integer) exitCode);
    }
    for (Map.Entry<Thread, StackTraceElement[]> thread : Thread.getAllStackTraces().entrySet()) {
      Matcher signal = SIGNAL.matcher(thread.getKey().getName());
      if (signal.matches()) {
        out.field("signal", signal.group(1));
        return;
      }
      if (isSubmitThatFailed(thread.getValue())) {
        out.field("failed", true);
        return;
      }
    }
  }

  /** Whether it is {@code spark-submit}'s way out for a program that ended with another exit code than 0. */
  private static boolean isSubmitThatFailed(StackTraceElement[] stack) {
    boolean leaves = false;
    for (StackTraceElement frame : stack) {
      String name = frame.getClassName();
      if (leaves && !BETWEEN.matcher(name).lookingAt()) {
        return name.startsWith(SUBMIT) && frame.getMethodName().equals("doSubmit");
      }
      leaves |= name.equals("java.lang.System") && frame.getMethodName().equals("exit");
    }
    return false;
  }
}
