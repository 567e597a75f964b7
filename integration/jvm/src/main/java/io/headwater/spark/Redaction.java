package io.headwater.spark;

import java.util.regex.Pattern;

/** Takes credentials out of texts that name a place. */
final class Redaction {
  private static final String HIDDEN = "***";
  private static final Pattern USER_INFO = Pattern.compile("(://)[^/@\\s?#]*:[^/\\s?#]*@");
  private static final Pattern ORACLE = Pattern.compile("(jdbc:oracle:[a-z]+:)[^/@:]+/[^@]*@");
  private static final Pattern PARAMETER =
      Pattern.compile("(?i)([?&;:,](?:user|username|uid|[a-z0-9_.-]*(?:password|passwd|pwd|secret|token|accesskey|apikey|credential|signature))=)[^&;,]*|([?&]sig=)[^&]*");

  private Redaction() {}

  static String url(String text) {
    String shown = USER_INFO.matcher(text).replaceAll("$1" + HIDDEN + "@");
    shown = ORACLE.matcher(shown).replaceAll("$1" + HIDDEN + "@");
    return PARAMETER.matcher(shown).replaceAll("$1$2" + HIDDEN);
  }
}
