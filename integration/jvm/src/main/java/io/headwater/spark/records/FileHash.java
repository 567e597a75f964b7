package io.headwater.spark.records;

import java.io.Serializable;
import java.util.function.ToLongFunction;
import org.apache.spark.sql.catalyst.expressions.XXH64;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * What Spark's {@code xxhash64} gives of the name of a file. All rows of a file have the same name, which is hashed for the first of
 * them.
 */
public final class FileHash implements ToLongFunction<UTF8String>, Serializable {
  private static final long serialVersionUID = 1L;
  private static final long SEED = 42L;

  private transient Hashed last;

  private static final class Hashed {
    final UTF8String given;
    final UTF8String name;
    final long hash;

    Hashed(UTF8String given, UTF8String name, long hash) {
      this.given = given;
      this.name = name;
      this.hash = hash;
    }

    static Hashed of(UTF8String given) {
      // What was given may stand where the bytes of the next row will be.
      UTF8String name = given.copy();
      long hash =
          XXH64.hashUnsafeBytes(name.getBaseObject(), name.getBaseOffset(), name.numBytes(), SEED);
      return new Hashed(given, name, hash);
    }
  }

  @Override
  public long applyAsLong(UTF8String name) {
    Hashed known = last;
    if (known == null || known.given != name) {
      // Rows of a batch have one object for their file, which those of the next have another one for.
      boolean isSame = known != null && known.name.equals(name);
      known = isSame ? new Hashed(name, known.name, known.hash) : Hashed.of(name);
      last = known;
    }
    return known.hash;
  }

  /** Any two do the same, so that Spark sees that plans with them do. */
  @Override
  public boolean equals(Object other) {
    return other instanceof FileHash;
  }

  @Override
  public int hashCode() {
    return FileHash.class.hashCode();
  }

  @Override
  public String toString() {
    return "xxhash64";
  }
}
