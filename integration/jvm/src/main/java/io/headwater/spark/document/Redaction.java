package io.headwater.spark.document;

import java.util.List;
import java.util.regex.Pattern;

/**
 * Takes credentials out of texts, so that they stay in the driver. The brain does so again with what it emits; its
 * {@code redaction.py} explains why each rule is as it is.
 */
public final class Redaction {
  private static final String HIDDEN = "***";
  private static final int LONGEST = 100_000;
  private static final String NAME =
      "(?:password|passwd|passphrase|pwd|secret|token|access[_.-]?key|account[_.-]?key|shared[_.-]?key"
          + "|api[_.-]?key|private[_.-]?key|credential|signature|jaas\\.config|authorization)[\\w.-]{0,60}";
  private static final Pattern SUSPICIOUS =
      Pattern.compile(
          "(?i)://|jdbc:|[?&;:](?:sig|user|uid)|bearer|basic|A[KS]IA|eyJ|-----BEGIN|" + NAME);
  private static final Pattern[] RULES = {
    Pattern.compile("(?s)()-----BEGIN[^-]*PRIVATE KEY-----.*?(?:-----END[^-]*-----|\\z)()"),
    Pattern.compile("(?i)\\b((?:bearer|basic)\\s{1,20})[\\w+/=.~-]{8,}()"),
    Pattern.compile("()\\b(?:AKIA|ASIA)[0-9A-Z]{16}\\b()"),
    Pattern.compile("()\\beyJ[\\w-]{5,4000}\\.[\\w-]{5,8000}\\.[\\w-]*()"),
    Pattern.compile(
        "(://)[^/:@\\s?#'\"]{0,200}:(?:[^/\\s?#'\"]{0,300}|(?!\\d+[/,])[^\\s?#'\"]{0,300}?)(@)"),
    Pattern.compile("(?i)\\b((?:https?|ftp|sftp|ssh|git)://)[^/@\\s?#'\"]{1,500}(@)"),
    Pattern.compile("(?i)(jdbc:oracle:[a-z]+:)[^/@:\\s]{1,200}/[^@\\s]{0,300}(@)"),
    Pattern.compile("(?i)([?&]sig=)[^&\\s'\"]*()"),
    Pattern.compile("(?i)([?&;:](?:user|username|uid)=)[^&;,\\s'\"]*()"),
    Pattern.compile("(?i)(" + NAME + "['\"`]?\\s{0,20}(?:=>?|:|\\s)\\s{0,20}')(?:[^'\\\\]|\\\\.|'')*+(')"),
    Pattern.compile("(?i)(" + NAME + "['\"`]?\\s{0,20}(?:=>?|:|\\s)\\s{0,20}\")(?:[^\"\\\\]|\\\\.)*+(\")"),
    Pattern.compile("(?i)(" + NAME + "=)(?:\\{[^}]*\\}|[^\\s&;,)'\"}]+)()"),
  };

  private Redaction() {}

  /** The text without credentials, and without what is beyond 100,000 characters where it may hold some. */
  public static String url(String text) {
    if (!SUSPICIOUS.matcher(text).find()) {
      return text;
    }
    String shown = text.length() > LONGEST ? text.substring(0, LONGEST) : text;
    for (Pattern rule : RULES) {
      shown = rule.matcher(shown).replaceAll("$1" + HIDDEN + "$2");
    }
    return shown;
  }

  /** A member with texts, each without credentials. */
  public static void urls(String key, List<String> texts, Json out) {
    out.key(key).raw("[");
    for (String text : texts) {
      out.next().string(url(text), Json.MAX_TEXT);
    }
    out.raw("]");
  }
}
