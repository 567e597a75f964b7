package io.headwater.spark.plan;

import io.headwater.spark.document.Json;
import io.headwater.spark.document.Redaction;
import io.headwater.spark.reflection.Mirror;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Maps with text keys, as {@code {"m": [[key, value], …]}}. Options may hold secrets, so of them only keys that
 * name where data lies, or which column holds it, are written, and those of texts that stand in what is written, which
 * the brain keeps; a partition specification is written whole.
 */
final class Options {
  /** The setting by which columns of ORC are found by position. */
  static final String ORC_POSITIONS = "orc.force.positional.evolution";
  private static final int MAX_ENTRIES = 200;
  private static final Set<String> SHOWN =
      new HashSet<>(
          Arrays.asList(
              "path", "url", "dbtable", "query", "driver", "table", "topic", "subscribe",
              "subscribepattern", "assign", "kafka.bootstrap.servers", "header", "multiline", "sep", "delimiter",
              "partitionoverwritemode", "overwrite-mode", "columnnameofcorruptrecord", "singlevariantcolumn",
              "replacewhere",
              // what may stand in what is written
              "linesep", "quote", "escape", "chartoescapequoteescaping", "nullvalue", "emptyvalue", "nanvalue",
              "positiveinf", "negativeinf", "dateformat", "timestampformat", "timestampntzformat", "timeformat",
              "attributeprefix", "valuetag", "arrayelementname", "rowtag", "roottag", "declaration", "indent",
              "recordname", "recordnamespace"));
  /** Options whose values are not needed: only that they are given is written. */
  private static final Set<String> GIVEN =
      new HashSet<>(
          Arrays.asList(
              "replaceusing", "replaceon",
              // how texts of CSV and XML are written and read
              "escapequotes", "unescapedquotehandling", "comment", "encoding", "charset", "wildcardcolname",
              "ignorenamespace", "excludeattribute"));
  /**
   * How files of known places are laid out: what stands between columns, whether they have names, which column has
   * whole records, what stands for empty values, what a stream watches.
   */
  private static final Set<String> LAYOUT =
      new HashSet<>(
          Arrays.asList(
              "sep", "delimiter", "header", "columnnameofcorruptrecord", "singlevariantcolumn", "wildcardcolname",
              "emptyvalue", "basepath", "positionalfieldmatching", ORC_POSITIONS));
  private static final int MAX_VALUE = 65_536;

  private Options() {}

  static void write(Object options, Json out) {
    write(options, SHOWN, out);
  }

  static void writeLayout(Object options, Json out) {
    write(options, LAYOUT, out);
  }

  /** A field's map: a partition specification, else options. */
  static void write(String field, Object map, Json out) {
    write(map, field.toLowerCase(Locale.ROOT).contains("partition") ? null : SHOWN, out);
  }

  /** Whether anything is written of a map of options. */
  static boolean areShown(Object options) {
    return entries(options).stream()
        .map(entry -> entry.getKey().toLowerCase(Locale.ROOT))
        .anyMatch(key -> SHOWN.contains(key) || GIVEN.contains(key));
  }

  /** @param shown the keys to write, in lower case; null for all */
  private static void write(Object map, Set<String> shown, Json out) {
    out.raw("{\"m\":[");
    int written = 0;
    for (Map.Entry<String, Object> entry : entries(map)) {
      String key = entry.getKey().toLowerCase(Locale.ROOT);
      boolean given = shown == SHOWN && GIVEN.contains(key);
      if (written < MAX_ENTRIES && (given || shown == null || shown.contains(key))) {
        written++;
        out.next().raw("[").string(entry.getKey(), Json.MAX_TEXT).raw(",");
        value(given ? "" : Mirror.content(entry.getValue()), out);
        out.raw("]");
      }
    }
    out.raw("]}");
  }

  private static void value(Object value, Json out) {
    if (value == null) {
      out.raw("null");
    } else {
      out.string(Redaction.url(value.toString()), MAX_VALUE);
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
