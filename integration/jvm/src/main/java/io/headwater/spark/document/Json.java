package io.headwater.spark.document;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes JSON as UTF-8 into one growing byte array. The caller is responsible for the structure: a comma is
 * written by {@link #next()} where one is needed.
 */
public final class Json {
  /** Characters of a text that are sent, where nothing else is stated. */
  public static final int MAX_TEXT = 4096;
  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  private byte[] bytes;
  private int size;

  public Json(int capacity) {
    bytes = new byte[capacity];
  }

  public int size() {
    return size;
  }

  @Override
  public String toString() {
    return new String(bytes, 0, size, StandardCharsets.UTF_8);
  }

  public byte[] toBytes() {
    return Arrays.copyOf(bytes, size);
  }

  /** What was written after {@code length} bytes is forgotten. */
  public void truncate(int length) {
    size = length;
  }

  /** ASCII text as it is: punctuation and literals. */
  public Json raw(String ascii) {
    int length = ascii.length();
    reserve(length);
    for (int i = 0; i < length; i++) {
      bytes[size++] = (byte) ascii.charAt(i);
    }
    return this;
  }

  public Json append(Json other) {
    reserve(other.size);
    System.arraycopy(other.bytes, 0, bytes, size, other.size);
    size += other.size;
    return this;
  }

  /** JSON text made elsewhere. */
  public Json text(String json) {
    return bytes(json.getBytes(StandardCharsets.UTF_8));
  }

  public Json bytes(byte[] utf8) {
    reserve(utf8.length);
    System.arraycopy(utf8, 0, bytes, size, utf8.length);
    size += utf8.length;
    return this;
  }

  /** A comma, unless an object or array has just been opened. */
  public Json next() {
    if (size > 0 && bytes[size - 1] != '[' && bytes[size - 1] != '{') {
      put(',');
    }
    return this;
  }

  /** The name of a member, with the comma before it where one is needed. */
  public Json key(String name) {
    next();
    string(name);
    put(':');
    return this;
  }

  public Json field(String name, String value) {
    key(name);
    return value == null ? raw("null") : string(value);
  }

  public Json field(String name, long value) {
    return key(name).number(value);
  }

  public Json field(String name, boolean value) {
    return key(name).raw(value ? "true" : "false");
  }

  public Json number(long value) {
    return raw(Long.toString(value));
  }

  public Json string(String value) {
    return string(value, value.length());
  }

  /** The first {@code limit} characters of the text, as a JSON string; a lone surrogate becomes '?'. */
  public Json string(String value, int limit) {
    int length = Math.min(value.length(), limit);
    reserve(length * 6 + 2);
    bytes[size++] = '"';
    for (int i = 0; i < length; i++) {
      char c = value.charAt(i);
      if (c >= 0x80) {
        i += wide(value, i, length);
      } else if (c < 0x20 || c == '"' || c == '\\') {
        escape(c);
      } else {
        bytes[size++] = (byte) c;
      }
    }
    bytes[size++] = '"';
    return this;
  }

  private void escape(char c) {
    bytes[size++] = '\\';
    if (c == '"' || c == '\\') {
      bytes[size++] = (byte) c;
      return;
    }
    bytes[size++] = 'u';
    bytes[size++] = '0';
    bytes[size++] = '0';
    bytes[size++] = HEX[c >> 4];
    bytes[size++] = HEX[c & 15];
  }

  /** Writes the character at {@code i}; returns how many more UTF-16 units it took. */
  private int wide(String value, int i, int length) {
    char c = value.charAt(i);
    if (c < 0x800) {
      bytes[size++] = (byte) (0xC0 | c >> 6);
      bytes[size++] = (byte) (0x80 | c & 0x3F);
      return 0;
    }
    if (!Character.isSurrogate(c)) {
      bytes[size++] = (byte) (0xE0 | c >> 12);
      bytes[size++] = (byte) (0x80 | c >> 6 & 0x3F);
      bytes[size++] = (byte) (0x80 | c & 0x3F);
      return 0;
    }
    if (!Character.isHighSurrogate(c) || i + 1 >= length || !Character.isLowSurrogate(value.charAt(i + 1))) {
      bytes[size++] = '?';
      return 0;
    }
    int point = Character.toCodePoint(c, value.charAt(i + 1));
    bytes[size++] = (byte) (0xF0 | point >> 18);
    bytes[size++] = (byte) (0x80 | point >> 12 & 0x3F);
    bytes[size++] = (byte) (0x80 | point >> 6 & 0x3F);
    bytes[size++] = (byte) (0x80 | point & 0x3F);
    return 1;
  }

  public void put(char ascii) {
    reserve(1);
    bytes[size++] = (byte) ascii;
  }

  private void reserve(int more) {
    long needed = (long) size + more;
    if (needed > bytes.length) {
      if (needed > Integer.MAX_VALUE - 8) {
        throw new IllegalStateException("the document would pass 2 GiB");
      }
      bytes = Arrays.copyOf(bytes, (int) Math.min(Integer.MAX_VALUE - 8, Math.max(needed, bytes.length * 2L)));
    }
  }
}
