package io.headwater.spark.records;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Collections;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.CollectionAccumulator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemberFilesTest {
  private static final InternalRow ROW = new GenericInternalRow(new Object[] {7L, 8L});

  @TempDir java.nio.file.Path folder;

  @Test
  void a_row_that_cannot_be_kept_is_known_and_passes() throws IOException {
    CollectionAccumulator<String> names = new CollectionAccumulator<>();
    String schema = new StructType().add("a", DataTypes.LongType).add("b", DataTypes.LongType).json();
    // numbers need no session
    MemberFiles files = new MemberFiles(null, folder.toString(), schema, new Configuration(), names);
    assertEquals(7L, files.applyAsLong(ROW)); // no task is here, whose file it could go to
    assertTrue(files.test(ROW));
    assertEquals(Collections.singletonList(""), names.value());
  }
}
