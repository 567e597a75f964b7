package io.headwater.spark;

import java.util.Collections;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;

/**
 * What an RDD action writes through Hadoop's output formats: {@code saveAsTextFile}, {@code saveAsHadoopFile} and their
 * relatives. Spark keeps the configuration of such a write in the function that its tasks run, and nowhere else.
 */
final class RddWrite {
  /** One column of type string, which is how a text file is read again, with an id that no expression of Spark's has. */
  private static final String TEXT =
      "{\"c\":1,\"a\":[\"value\"],\"id\":-1000000,\"n\":\"value\",\"q\":[],\"t\":0},";

  private static final Pattern WRITER = Pattern.compile("WriteConfigUtil$");

  private final Configuration conf;
  private final String format;

  private RddWrite(Configuration conf, String format) {
    this.conf = conf;
    this.format = format;
  }

  /** The write of a job with this result function; null for a function that does not write so. */
  static RddWrite of(Object function) {
    Object writer = Mirror.captured(function, WRITER, 1);
    Object conf = Mirror.get(Mirror.field(writer, "conf"), "value");
    return conf instanceof Configuration ? new RddWrite((Configuration) conf, format((Configuration) conf)) : null;
  }

  private static String format(Configuration conf) {
    return conf.get("mapreduce.job.outputformat.class", conf.get("mapred.output.format.class", "unknown"));
  }

  /** The plan: the RDD, and above it the write. A text file has the column {@code value}; of others none is known. */
  void plan(Object rdd, Json out) {
    boolean text = format.endsWith(".TextOutputFormat");
    out.raw("{\"classes\":[");
    declare("ExternalRDD", "org.apache.spark.sql.execution.ExternalRDD", "", out);
    declare("AttributeReference", "org.apache.spark.sql.catalyst.expressions.AttributeReference", "\"name\"", out);
    declare("SaveAsHadoopDataset", "org.apache.spark.rdd.command.SaveAsHadoopDataset", "\"rdd\"", out);
    out.raw("],\"types\":[\"string\"],\"nodes\":[").raw(text ? TEXT : "");
    out.raw("{\"c\":0,\"a\":[],\"out\":").raw(text ? "[0]" : "[]").raw(",\"src\":{");
    RddInputs.describe(rdd, out);
    out.raw("}},{\"c\":2,\"a\":[{\"r\":").number(text ? 1 : 0).raw("}],\"src\":{");
    target(text, out);
    out.raw("}}],\"root\":").number(text ? 2 : 1).raw(",\"truncated\":false}");
  }

  private static void declare(String name, String className, String fields, Json out) {
    out.next().raw("{").field("name", name).field("class", className).key("fields").raw("[" + fields + "]}");
  }

  private void target(boolean text, Json out) {
    String directory = conf.get("mapreduce.output.fileoutputformat.outputdir");
    if (directory == null) {
      out.field("kind", "unknown").field("class", format);
    } else {
      out.field("kind", "files");
      Leaves.texts("roots", Collections.singletonList(Mirror.qualified(directory)), out);
      String name = format.substring(format.lastIndexOf('.') + 1);
      out.field("format", name.endsWith("OutputFormat") ? name.substring(0, name.length() - 12) : name);
    }
    out.field("mode", "errorifexists");
  }
}
