package io.headwater.spark.data;

import io.headwater.spark.document.Json;

/**
 * What an execution found in a dataset and left there ({@code base}), and what it left in all ({@code state}): a
 * version of a table, or the number of a directory's files and their bytes. The state may not be known.
 */
public final class Content {
  private static final String NOTHING = "{\"files\":0,\"size\":0}";

  /** Whether it found anything. */
  final boolean found;
  private final String base;
  private final String state;

  private Content(String base, String state) {
    this.base = base;
    this.state = state;
    this.found = !base.equals(NOTHING);
  }

  /** Of a table: the version whose rows it found, null for none, and its own, null where that is not known. */
  static Content versions(String found, String own) {
    return new Content(found == null ? NOTHING : version(found), own == null ? null : version(own));
  }

  /** Of a directory that has these files, of which some are its own. */
  static Content files(long files, long size, long own, long ownSize) {
    return new Content(files == own ? NOTHING : figures(files - own, size - ownSize), figures(files, size));
  }

  /** {@code ,"content":{…}}. */
  public void write(Json out) {
    out.key("content").raw("{").key("base").text(base);
    if (state != null) {
      out.key("state").text(state);
    }
    out.raw("}");
  }

  /** The state of a table that a read finds: the version whose rows it has, null for none. */
  static String found(String version) {
    return version == null ? NOTHING : version(version);
  }

  private static String version(String number) {
    return "{\"version\":\"" + number + "\"}";
  }

  /** The state of a directory with these files. */
  static String figures(long files, long size) {
    return "{\"files\":" + files + ",\"size\":" + Math.max(0, size) + "}";
  }
}
