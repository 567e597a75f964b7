package io.headwater.spark;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Maps with text keys, as {@code {"m": [[key, value], …]}}. Options may hold secrets, so of them only keys that
 * say where data lies are written; a partition specification is written whole.
 */
final class Options {
  private static final int MAX_ENTRIES = 200;
  private static final Set<String> SHOWN =
      new HashSet<>(
          Arrays.asList(
              "path", "url", "dbtable", "query", "driver", "table", "topic", "subscribe",
              "subscribepattern", "kafka.bootstrap.servers", "header", "multiline"));

  private Options() {}

  static void write(String field, Object map, Json out) {
    boolean whole = field.toLowerCase(Locale.ROOT).contains("partition");
    out.raw("{\"m\":[");
    int written = 0;
    for (Map.Entry<String, Object> entry : entries(map)) {
      if (written < MAX_ENTRIES && (whole || SHOWN.contains(entry.getKey().toLowerCase(Locale.ROOT)))) {
        written++;
        out.next().raw("[").string(entry.getKey(), Values.MAX_TEXT).raw(",");
        value(Mirror.content(entry.getValue()), out);
        out.raw("]");
      }
    }
    out.raw("]}");
  }

  private static void value(Object value, Json out) {
    if (value == null) {
      out.raw("null");
    } else {
      out.string(Redaction.url(value.toString()), Values.MAX_TEXT);
    }
  }

  /** The entries whose key is a text. */
  private static List<Map.Entry<String, Object>> entries(Object map) {
    List<Map.Entry<String, Object>> entries = new ArrayList<>();
    if (map instanceof java.util.Map) {
      ((java.util.Map<?, ?>) map).forEach((key, value) -> add(entries, key, value));
    } else {
      for (Object pair : Mirror.list(map)) {
        add(entries, ((scala.Tuple2<?, ?>) pair)._1(), ((scala.Tuple2<?, ?>) pair)._2());
      }
    }
    return entries;
  }

  private static void add(List<Map.Entry<String, Object>> entries, Object key, Object value) {
    if (key instanceof String) {
      entries.add(new java.util.AbstractMap.SimpleImmutableEntry<>((String) key, value));
    }
  }
}
