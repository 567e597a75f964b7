package io.headwater.spark.gate;

/** What the judge says of a command, and why; each is a byte of its answer. */
final class Verdict {
  static final char NO_WRITE = 'N';
  static final char ALLOWED = 'A';
  static final char WARNED = 'W';
  static final char VIOLATED = 'V';
  static final char UNKNOWN = 'U';
  static final char FAILED = 'F';

  final char code;
  final String text;

  Verdict(char code, String text) {
    this.code = code;
    this.text = text;
  }
}
