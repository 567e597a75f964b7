package io.headwater.spark.records;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collections;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.column.ParquetProperties;
import org.apache.parquet.hadoop.ParquetFileWriter;
import org.apache.parquet.hadoop.ParquetOutputFormat;
import org.apache.parquet.hadoop.util.HadoopOutputFile;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.Type;
import org.apache.parquet.schema.Type.Repetition;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.datasources.OutputWriter;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * Writes the last columns of rows, which are whole numbers, as a Parquet file. It encodes columns by itself, without putting records
 * together from values and taking them apart again, which takes several times as long as the encoding.
 *
 * <p>Files of origin are few, and in a dictionary. Positions mostly go up in small steps, so that differences take few bits, and
 * less time than a dictionary that gets too large, or a compression of what is left.
 */
final class NumberFile extends OutputWriter {
  private static final String POSITION = "_r";
  private static final int PAGE_ROWS = 20_000;
  private static final long MOST_GROUP_BYTES = 8 << 20;
  private static final long GROUP_ROWS = 4_000_000;

  private final String path;
  private final StructType schema;
  private final int first;
  private final MessageType message;
  private final ParquetFileWriter file;
  private final long groupBytes;
  private NumberColumn[] columns;
  private int pageRows;
  private long groupRows;

  /** The columns of this schema stand in the rows from the place {@code first} on. */
  NumberFile(String path, StructType schema, int first, Configuration configuration) {
    this.path = path;
    this.schema = schema;
    this.first = first;
    Type[] types = new Type[schema.length()];
    for (int place = 0; place < types.length; place++) {
      types[place] = type(schema.apply(place));
    }
    message = new MessageType("ids", types);
    groupBytes =
        Math.min(MOST_GROUP_BYTES, configuration.getLong(ParquetOutputFormat.BLOCK_SIZE, MOST_GROUP_BYTES));
    try {
      file =
          new ParquetFileWriter(
              HadoopOutputFile.fromPath(new Path(path), configuration),
              message,
              ParquetFileWriter.Mode.CREATE,
              groupBytes,
              0);
      file.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    columns = begun();
  }

  private static PrimitiveType type(StructField field) {
    PrimitiveType.PrimitiveTypeName type =
        field.dataType().equals(DataTypes.LongType)
            ? PrimitiveType.PrimitiveTypeName.INT64
            : PrimitiveType.PrimitiveTypeName.INT32;
    return new PrimitiveType(field.nullable() ? Repetition.OPTIONAL : Repetition.REQUIRED, type, field.name());
  }

  /** Columns without rows: each row group has dictionaries of its own. */
  private NumberColumn[] begun() {
    ParquetProperties.Builder properties =
        ParquetProperties.builder().withWriterVersion(ParquetProperties.WriterVersion.PARQUET_2_0);
    for (String name : schema.fieldNames()) {
      properties.withDictionaryEncoding(name, !name.endsWith(POSITION));
    }
    ParquetProperties built = properties.build();
    NumberColumn[] begun = new NumberColumn[schema.length()];
    for (int place = 0; place < begun.length; place++) {
      begun[place] =
          new NumberColumn(
              message.getColumns().get(place), first + place, schema.apply(place).dataType(), built);
    }
    return begun;
  }

  @Override
  public void write(InternalRow row) {
    for (NumberColumn each : columns) {
      each.write(row);
    }
    pageRows++;
    if (pageRows == PAGE_ROWS) {
      try {
        endPage();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private void endPage() throws IOException {
    long bytes = 0;
    for (NumberColumn each : columns) {
      each.endPage();
      bytes += each.bytes();
    }
    groupRows += pageRows;
    pageRows = 0;
    if (bytes >= groupBytes || groupRows >= GROUP_ROWS) {
      endGroup();
      columns = begun();
    }
  }

  private void endGroup() throws IOException {
    file.startBlock(groupRows);
    for (NumberColumn each : columns) {
      each.writeTo(file, groupRows);
      each.close();
    }
    file.endBlock();
    groupRows = 0;
  }

  @Override
  public void close() {
    try {
      if (pageRows > 0) {
        endPage();
      }
      if (groupRows > 0) {
        endGroup();
      }
      file.end(Collections.emptyMap());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String path() {
    return path;
  }
}
