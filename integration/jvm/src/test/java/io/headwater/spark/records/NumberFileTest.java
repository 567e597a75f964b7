package io.headwater.spark.records;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.ParquetReader;
import org.apache.parquet.hadoop.example.GroupReadSupport;
import org.apache.parquet.hadoop.util.HadoopInputFile;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NumberFileTest {
  private static final StructType IDS =
      new StructType(
          new StructField[] {
            new StructField("_f", DataTypes.LongType, false, Metadata.empty()),
            new StructField("_r", DataTypes.LongType, true, Metadata.empty()),
            new StructField("_b", DataTypes.IntegerType, true, Metadata.empty())
          });

  @TempDir java.nio.file.Path folder;

  @Test
  void values_and_nulls_are_read_back_from_all_pages() throws IOException {
    assertEquals(1, written(100_001, new Random(1), 3));
  }

  @Test
  void values_without_any_pattern_are_read_back_from_all_row_groups() throws IOException {
    assertTrue(written(900_000, new Random(2), Integer.MAX_VALUE) > 1);
  }

  @Test
  void a_file_without_rows_can_be_read() throws IOException {
    assertEquals(0, written(0, new Random(3), 1));
  }

  @Test
  void a_null_in_a_column_that_has_none_fails() {
    NumberFile file = file();
    InternalRow row = new GenericInternalRow(new Object[] {"own", null, 1L, 1});
    assertThrows(IllegalStateException.class, () -> file.write(row));
  }

  private NumberFile file() {
    return new NumberFile(path().toString(), IDS, 1, new Configuration());
  }

  private Path path() {
    return new Path(folder.resolve("ids.parquet").toUri());
  }

  /** Row {@code number}, of so many files; no value of a NULL. */
  private static Object[] row(int number, Random random, int files) {
    long file = files == Integer.MAX_VALUE ? random.nextLong() : random.nextInt(files) * 0x9E3779B97F4A7C15L;
    long position = files == Integer.MAX_VALUE ? random.nextLong() : number * 3L + random.nextInt(3);
    return new Object[] {
      "own", file, random.nextInt(10) == 0 ? null : position, random.nextInt(3) == 0 ? null : random.nextInt()
    };
  }

  /** Writes rows and compares them with what is read; how many row groups there are. */
  private int written(int rows, Random random, int files) throws IOException {
    long seed = random.nextLong();
    NumberFile file = file();
    Random given = new Random(seed);
    for (int number = 0; number < rows; number++) {
      file.write(new GenericInternalRow(row(number, given, files)));
    }
    file.close();
    Random again = new Random(seed);
    try (ParquetReader<Group> reader = ParquetReader.builder(new GroupReadSupport(), path()).build()) {
      for (int number = 0; number < rows; number++) {
        Object[] expected = row(number, again, files);
        Group found = reader.read();
        assertEquals(expected[1], found.getLong("_f", 0));
        assertEquals(expected[2], found.getFieldRepetitionCount("_r") == 0 ? null : (Object) found.getLong("_r", 0));
        assertEquals(
            expected[3], found.getFieldRepetitionCount("_b") == 0 ? null : (Object) found.getInteger("_b", 0));
      }
      assertEquals(null, reader.read());
    }
    try (ParquetFileReader reader =
        ParquetFileReader.open(HadoopInputFile.fromPath(path(), new Configuration()))) {
      return reader.getRowGroups().size();
    }
  }
}
