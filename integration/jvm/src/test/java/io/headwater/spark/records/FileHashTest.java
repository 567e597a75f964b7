package io.headwater.spark.records;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.nio.charset.StandardCharsets;
import org.apache.spark.sql.catalyst.expressions.XXH64;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Test;

class FileHashTest {
  @Test
  void it_is_what_spark_gives_of_each_name_whichever_came_before() {
    FileHash hash = new FileHash();
    for (String name : new String[] {"file:/a", "file:/b", "file:/b", "", "file:/a"}) {
      UTF8String given = UTF8String.fromString(name);
      assertEquals(
          XXH64.hashUnsafeBytes(given.getBaseObject(), given.getBaseOffset(), given.numBytes(), 42L),
          hash.applyAsLong(given));
    }
  }

  @Test
  void other_bytes_in_the_place_of_those_before_are_another_name() {
    byte[] place = "file:/a".getBytes(StandardCharsets.UTF_8);
    FileHash hash = new FileHash();
    long first = hash.applyAsLong(UTF8String.fromBytes(place));
    place[place.length - 1] = 'b';
    assertNotEquals(first, hash.applyAsLong(UTF8String.fromBytes(place)));
  }

  @Test
  void any_two_are_the_same_to_spark() {
    assertEquals(new FileHash(), new FileHash());
    assertEquals(new FileHash().hashCode(), new FileHash().hashCode());
    assertNotEquals(new FileHash(), new Object());
  }
}
