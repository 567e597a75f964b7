package io.headwater.spark.run;

import io.headwater.spark.document.Json;

/** What Spark's long form of a call site, a line for each frame, tells of the caller. */
final class CallSite {
  private CallSite() {}

  /** The first line of the call site that is not Spark's, Scala's, Java's or py4j's own; else the first one. */
  static String userLine(String details) {
    String text = details == null ? "" : details;
    for (String line : text.split("\n")) {
      if (!line.matches("(org\\.apache\\.spark|java|jdk|sun|scala|py4j|java\\.base/).*")) {
        return line;
      }
    }
    return firstLine(text);
  }

  /** {@code ,"model":true} where Spark's machine learning library called, as it does to save a model or to load one. */
  static void ofModel(String details, Json out) {
    if (details != null && details.contains("\norg.apache.spark.ml.")) {
      out.field("model", true);
    }
  }

  static String firstLine(String details) {
    return details == null ? "" : details.split("\n", 2)[0];
  }
}
