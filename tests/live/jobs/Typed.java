import java.io.Serializable;
import org.apache.spark.api.java.function.FilterFunction;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** Typed functions over rows and values, each into a folder of its own. */
public final class Typed {
  private Typed() {}

  /** An object with the values of a row, which Spark makes by the names of columns. */
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

  public static void run(SparkSession spark, String people, String out) {
    Dataset<Row> rows = spark.read().schema("id string, name string, ssn string").json(people);
    write(rows.filter((FilterFunction<Row>) row -> row.getString(2).length() > 2), out + "/chosen");
    write(rows.map((MapFunction<Row, String>) row -> row.getAs("name"), Encoders.STRING()), out + "/mapped");
    Dataset<String> names = rows.select("name").as(Encoders.STRING());
    write(names.map((MapFunction<String, String>) name -> name.trim(), Encoders.STRING()), out + "/values");
    write(names.map((MapFunction<String, Integer>) name -> name.length(), Encoders.INT()), out + "/lengths");
    Dataset<Row> turned = rows.as(Encoders.row(rows.select("ssn", "name", "id").schema()));
    write(turned.map((MapFunction<Row, String>) row -> row.getString(0), Encoders.STRING()), out + "/turned");
    Dataset<Person> persons = rows.as(Encoders.bean(Person.class));
    write(persons.map((MapFunction<Person, String>) each -> each.getSsn(), Encoders.STRING()), out + "/beans");
    write(
        rows.map((MapFunction<Row, String>) row -> row.getString(1) + "/", Encoders.STRING())
            .map((MapFunction<String, String>) text -> text.toUpperCase(), Encoders.STRING()),
        out + "/twice");
  }

  private static void write(Dataset<?> rows, String folder) {
    rows.coalesce(1).write().json(folder);
  }
}
