package io.headwater.spark.run;

import io.headwater.spark.document.Json;
import io.headwater.spark.document.Redaction;
import io.headwater.spark.reflection.Mirror;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.apache.spark.SparkThrowable;

/**
 * Spark's name for what went wrong and the text that it fills with values: all of a message that holds none. The class
 * that keeps the texts has no stable signature, so it is reached by name.
 */
public final class ErrorConditions {
  private static final int MAX_CAUSES = 50;
  private static final int MAX_TRACE = 16_384;

  private ErrorConditions() {}

  /** The member {@code "error"}; null where there is neither a failure nor a message. */
  public static void write(Throwable failure, String message, Json out) {
    out.key("error");
    if (failure == null && (message == null || message.isEmpty())) {
      out.raw("null");
      return;
    }
    StringWriter trace = new StringWriter();
    if (failure != null) {
      failure.printStackTrace(new PrintWriter(trace));
    }
    String text = failure == null ? message : String.valueOf(failure.getMessage());
    out.raw("{").field("class", failure == null ? null : failure.getClass().getName());
    describe(failure, out);
    out.key("message").string(Redaction.url(text), Json.MAX_TEXT);
    out.key("stackTrace").string(Redaction.url(trace.toString()), MAX_TRACE).raw("}");
  }

  /** Adds {@code "condition"} and {@code "template"} of the first error among the causes that has a condition. */
  private static void describe(Throwable failure, Json out) {
    Throwable cause = failure;
    for (int i = 0; cause != null && i < MAX_CAUSES; i++) {
      String condition = condition(cause);
      if (condition != null) {
        out.field("condition", condition).field("template", template(condition));
        return;
      }
      cause = cause.getCause();
    }
  }

  /** Spark 3.5 calls it the error class. */
  private static String condition(Throwable error) {
    try {
      String named = error instanceof SparkThrowable ? Mirror.text(error, "getCondition") : null;
      return named == null && error instanceof SparkThrowable ? Mirror.text(error, "getErrorClass") : named;
    } catch (RuntimeException e) {
      return null;
    }
  }

  /** The text with {@code <parameter>} for each value; null for a condition that is none of Spark's own. */
  private static String template(String condition) {
    try {
      Object helper = Mirror.companion("org.apache.spark.SparkThrowableHelper", Mirror.class.getClassLoader());
      Object reader = Mirror.get(helper, "errorReader");
      return (String) reader.getClass().getMethod("getMessageTemplate", String.class).invoke(reader, condition);
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      return null;
    }
  }
}
