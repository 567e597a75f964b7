import java.io.Serializable;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoder;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.expressions.Aggregator;
import org.apache.spark.sql.functions;

/** Aggregators over values, rows and objects, each into a folder of its own. */
public final class Aggregates {
  private Aggregates() {}

  /** The longest text that was given. */
  public static final class Longest extends Aggregator<String, String, String> {
    @Override
    public String zero() {
      return "";
    }

    @Override
    public String reduce(String held, String given) {
      return longer(held, given);
    }

    @Override
    public String merge(String one, String other) {
      return longer(one, other);
    }

    private static String longer(String one, String other) {
      return other.length() > one.length() ? other : one;
    }

    @Override
    public String finish(String held) {
      return held;
    }

    @Override
    public Encoder<String> bufferEncoder() {
      return Encoders.STRING();
    }

    @Override
    public Encoder<String> outputEncoder() {
      return Encoders.STRING();
    }
  }

  /** How many characters the second column has in all rows. */
  public static final class Characters extends Aggregator<Row, Long, Long> {
    @Override
    public Long zero() {
      return 0L;
    }

    @Override
    public Long reduce(Long held, Row row) {
      return held + row.getString(1).length();
    }

    @Override
    public Long merge(Long one, Long other) {
      return one + other;
    }

    @Override
    public Long finish(Long held) {
      return held;
    }

    @Override
    public Encoder<Long> bufferEncoder() {
      return Encoders.LONG();
    }

    @Override
    public Encoder<Long> outputEncoder() {
      return Encoders.LONG();
    }
  }

  /** An object with the values of a row. */
  public static final class Person implements Serializable {
    private String name;
    private String ssn;

    public String getName() {
      return name;
    }

    public void setName(String name) {
      this.name = name;
    }

    public String getSsn() {
      return ssn;
    }

    public void setSsn(String ssn) {
      this.ssn = ssn;
    }
  }

  /** All names of objects. */
  public static final class Names extends Aggregator<Person, String, String> {
    @Override
    public String zero() {
      return "";
    }

    @Override
    public String reduce(String held, Person person) {
      return held + person.getName();
    }

    @Override
    public String merge(String one, String other) {
      return one + other;
    }

    @Override
    public String finish(String held) {
      return held;
    }

    @Override
    public Encoder<String> bufferEncoder() {
      return Encoders.STRING();
    }

    @Override
    public Encoder<String> outputEncoder() {
      return Encoders.STRING();
    }
  }

  public static void run(SparkSession spark, String people, String out) {
    Dataset<Row> rows = spark.read().schema("id string, name string, ssn string").json(people);
    Encoder<Person> persons = Encoders.bean(Person.class);
    write(
        rows.groupBy("id").agg(
            functions.udaf(new Longest(), Encoders.STRING()).apply(functions.col("name")).as("longest")),
        out + "/longest");
    Encoder<Row> pair = Encoders.row(rows.select("name", "ssn").schema());
    write(
        rows.agg(
            functions.udaf(new Characters(), pair).apply(functions.col("name"), functions.col("ssn")).as("count")),
        out + "/characters");
    write(
        rows.agg(
            functions.udaf(new Names(), persons).apply(functions.col("name"), functions.col("ssn")).as("names")),
        out + "/objects");
    Dataset<String> names = rows.select("name").as(Encoders.STRING());
    write(names.select(new Longest().toColumn().name("longest")), out + "/typed");
    write(
        rows.select("name", "ssn").as(persons).select(new Names().toColumn().name("names")), out + "/typed_objects");
    write(rows.select("name", "ssn").select(new Characters().toColumn().name("count")), out + "/typed_rows");
    write(
        names
            .groupByKey((MapFunction<String, Integer>) name -> name.length(), Encoders.INT())
            .agg(new Longest().toColumn().name("longest")),
        out + "/grouped");
  }

  private static void write(Dataset<?> frame, String folder) {
    frame.write().json(folder);
  }
}
