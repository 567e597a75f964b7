package io.headwater.spark.gate;

import io.headwater.spark.reflection.Mirror;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** Tells commands of Spark that put no rows anywhere, without the judge: by the word with which their class's name begins. */
final class WritesNothing {
  private static final String OWN = "org.apache.spark.sql.";
  private static final Set<String> WORDS = words(
      "add alter analyze cache clear comment create describe drop explain list refresh reset set show uncache");

  private WritesNothing() {}

  /** Whether the command certainly writes nothing; of what is not known, false. */
  static boolean is(LogicalPlan command) {
    String type = command.getClass().getName();
    boolean own = type.startsWith(OWN) && !type.contains(".delta.") && !type.contains(".hudi.");
    String word = firstWord(type.substring(type.lastIndexOf('.') + 1));
    return own && WORDS.contains(word) && !(word.equals("create") && Mirror.get(command, "query") != null);
  }

  private static Set<String> words(String text) {
    return Collections.unmodifiableSet(new HashSet<>(Arrays.asList(text.split(" "))));
  }

  private static String firstWord(String name) {
    int end = 1;
    while (end < name.length() && Character.isLowerCase(name.charAt(end))) {
      end++;
    }
    return name.substring(0, end).toLowerCase(Locale.ROOT);
  }
}
