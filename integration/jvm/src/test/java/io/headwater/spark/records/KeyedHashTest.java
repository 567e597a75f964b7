package io.headwater.spark.records;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import org.apache.spark.sql.catalyst.expressions.UnsafeArrayData;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.junit.jupiter.api.Test;

class KeyedHashTest {
  /** The key of the bytes 0 to 15, and the message of the same: the seventeenth value of the published ones. */
  @Test
  void it_is_the_hash_that_was_published() {
    long first = 0x0706050403020100L;
    long second = 0x0f0e0d0c0b0a0908L;
    assertEquals(0x3f2acc7f57c29bdbL, new KeyedHash(first, second).applyAsLong(first, second));
  }

  @Test
  void pairs_in_lists_have_the_hashes_that_they_have_alone() {
    KeyedHash hash = new KeyedHash();
    ArrayData found = hash.apply(list(1, 2), list(3, 4));
    assertArrayEquals(new long[] {hash.applyAsLong(1, 3), hash.applyAsLong(2, 4)}, found.toLongArray());
  }

  private static ArrayData list(long... values) {
    return UnsafeArrayData.fromPrimitiveArray(values);
  }

  @Test
  void each_has_a_secret_of_its_own_that_it_does_not_show() {
    assertNotEquals(new KeyedHash().applyAsLong(1, 2), new KeyedHash().applyAsLong(1, 2));
    assertEquals("keyed hash", new KeyedHash().toString());
  }
}
