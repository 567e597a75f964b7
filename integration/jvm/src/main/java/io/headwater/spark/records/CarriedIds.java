package io.headwater.spark.records;

import java.io.Serializable;
import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.mapreduce.Job;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.datasources.FileFormat;
import org.apache.spark.sql.execution.datasources.OutputWriterFactory;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.SerializableConfiguration;
import org.slf4j.LoggerFactory;
import scala.Option;
import scala.collection.immutable.Map;

/**
 * A format whose last columns are the ids of the record, whole numbers or lists of them: they are written to a file of their own, as
 * Parquet, and the others as the format writes them. Row n of one file is row n of the other.
 */
public final class CarriedIds implements FileFormat, Serializable {
  private static final long serialVersionUID = 1L;

  private final FileFormat format;
  private final int count;

  /**
   * The format of the job's own files, all columns of which have to be of types that it writes, and how many columns are ids.
   */
  public CarriedIds(FileFormat format, int count) {
    this.format = format;
    this.count = count;
  }

  @Override
  public OutputWriterFactory prepareWrite(
      SparkSession spark, Job job, Map<String, String> options, StructType schema) {
    StructField[] fields = schema.fields();
    int columns = fields.length - count;
    StructType own = new StructType(Arrays.copyOf(fields, columns));
    StructType ids = new StructType(Arrays.copyOfRange(fields, columns, fields.length));
    OutputWriterFactory beside = beside(spark, job.getConfiguration(), ids, columns);
    OutputWriterFactory factory = format.prepareWrite(spark, job, options, own);
    return new CarriedFactory(
        factory, own, beside, new SerializableConfiguration(job.getConfiguration()));
  }

  private static OutputWriterFactory beside(
      SparkSession spark, Configuration configuration, StructType ids, int first) {
    try {
      return IdFactory.of(spark, configuration, ids, first);
    } catch (Exception | LinkageError e) {
      LoggerFactory.getLogger("io.headwater.spark").warn("no ids are written", e);
      return null;
    }
  }

  /** Nothing is read in this format; by the signature of Scala 2.13. */
  public Option<StructType> inferSchema(
      SparkSession spark,
      Map<String, String> options,
      scala.collection.immutable.Seq<FileStatus> files) {
    return Option.empty();
  }

  /** Nothing is read in this format; by the signature of Scala 2.12. */
  public Option<StructType> inferSchema(
      SparkSession spark, Map<String, String> options, scala.collection.Seq<FileStatus> files) {
    return Option.empty();
  }

  @Override
  public boolean supportDataType(DataType type) {
    return true;
  }

  @Override
  public boolean supportFieldName(String name) {
    return format.supportFieldName(name);
  }

  @Override
  public String toString() {
    return format.toString();
  }
}
