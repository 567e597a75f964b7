package io.headwater.spark.records;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.ParquetProperties;
import org.apache.parquet.column.page.DictionaryPage;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.column.values.ValuesWriter;
import org.apache.parquet.hadoop.ParquetFileWriter;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/** One column of a {@link NumberFile}: what was written since its row group began, as pages. */
final class NumberColumn {
  private final ColumnDescriptor column;
  private final int ordinal;
  private final boolean isLong;
  private final ValuesWriter values;
  private final ValuesWriter present;
  private final List<Page> pages = new ArrayList<>();
  private int rows;
  private int nulls;
  private long least = Long.MAX_VALUE;
  private long most = Long.MIN_VALUE;
  private long written;

  private static final class Page {
    final int rows;
    final BytesInput bytes;
    final Encoding encoding;
    final Statistics<?> statistics;

    Page(int rows, BytesInput bytes, Encoding encoding, Statistics<?> statistics) {
      this.rows = rows;
      this.bytes = bytes;
      this.encoding = encoding;
      this.statistics = statistics;
    }
  }

  /** The column at this place of the rows; its type is {@code bigint} or {@code int}. */
  NumberColumn(ColumnDescriptor column, int ordinal, DataType type, ParquetProperties properties) {
    this.column = column;
    this.ordinal = ordinal;
    isLong = type.equals(DataTypes.LongType);
    values = properties.newValuesWriter(column);
    present = column.getMaxDefinitionLevel() > 0 ? properties.newDefinitionLevelWriter(column) : null;
  }

  void write(InternalRow row) {
    rows++;
    boolean isNull = row.isNullAt(ordinal);
    if (present != null) {
      present.writeInteger(isNull ? 0 : 1);
    } else if (isNull) {
      throw new IllegalStateException("NULL in a column that has none");
    }
    if (isNull) {
      nulls++;
      return;
    }
    long value;
    if (isLong) {
      value = row.getLong(ordinal);
      values.writeLong(value);
    } else {
      int number = row.getInt(ordinal);
      values.writeInteger(number);
      value = number;
    }
    least = Math.min(least, value);
    most = Math.max(most, value);
  }

  /** Of the values since the last page. */
  private Statistics<?> statistics() {
    Statistics<?> statistics = Statistics.createStats(column.getPrimitiveType());
    statistics.incrementNumNulls(nulls);
    if (nulls == rows) {
      return statistics;
    }
    for (long each : new long[] {least, most}) {
      if (isLong) {
        statistics.updateStats(each);
      } else {
        statistics.updateStats((int) each);
      }
    }
    return statistics;
  }

  /** How many bytes its pages have. */
  long bytes() {
    return written;
  }

  void endPage() throws IOException {
    BytesInput bytes = values.getBytes();
    // The encoding is known after its bytes are: it may be another one than the one that was tried.
    Encoding encoding = values.getEncoding();
    bytes = BytesInput.copy(present == null ? bytes : BytesInput.concat(present.getBytes(), bytes));
    pages.add(new Page(rows, bytes, encoding, statistics()));
    written += bytes.size();
    values.reset();
    if (present != null) {
      present.reset();
    }
    rows = 0;
    nulls = 0;
    least = Long.MAX_VALUE;
    most = Long.MIN_VALUE;
  }

  /** Writes its pages, after the last of them has ended. */
  void writeTo(ParquetFileWriter file, long count) throws IOException {
    file.startColumn(column, count, CompressionCodecName.UNCOMPRESSED);
    DictionaryPage dictionary = values.toDictPageAndClose();
    if (dictionary != null) {
      file.writeDictionaryPage(dictionary);
    }
    for (Page page : pages) {
      file.writeDataPage(
          page.rows,
          (int) page.bytes.size(),
          page.bytes,
          page.statistics,
          page.rows,
          Encoding.RLE,
          Encoding.RLE,
          page.encoding);
    }
    file.endColumn();
  }

  void close() {
    values.close();
    if (present != null) {
      present.close();
    }
  }
}
