import io.headwater.spark.code.Functions;
import io.headwater.spark.document.Json;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Encoder;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.api.java.UDF2;
import org.apache.spark.sql.expressions.Aggregator;

/** Functions as jobs in Java have them. Each is printed with its instructions: {@code java Samples}. */
public final class Samples {
  static String last = "";

  static final class Host implements UDF1<String, String> {
    @Override
    public String call(String mail) {
      return host(mail);
    }

    private String host(String mail) {
      int at = mail.indexOf('@');
      return at < 0 ? "none" : mail.substring(at + 1);
    }
  }

  static final class Keeps implements UDF2<String, String, String> {
    private String before = "";

    @Override
    public String call(String mail, String name) {
      String given = before;
      before = name;
      return mail + given;
    }
  }

  static final class Salted implements UDF1<String, String> {
    private static final String SALT = String.valueOf(3);
    private final String end = SALT + "!";

    @Override
    public String call(String mail) {
      return with(mail) + SALT + end;
    }

    String with(String mail) {
      return mail.trim();
    }
  }

  static final class Shared implements UDF1<String, String> {
    private String before = "";

    @Override
    public String call(String mail) {
      return mail + before;
    }
  }

  static String shortened(String text, int size) {
    return text.length() > size ? text.substring(0, size) : text;
  }

  static Map<String, Object> functions(String salt) {
    Map<String, Object> found = new LinkedHashMap<>();
    found.put("host", new Host());
    found.put("keeps", new Keeps());
    found.put("salted", new Salted());
    found.put("shared", new Shared());
    found.put("first", (UDF2<String, String, String>) (mail, name) -> mail);
    found.put("joined", (UDF2<String, String, String>) (mail, name) -> mail.trim() + ":" + salt);
    found.put("chosen", (UDF2<String, String, String>) (mail, name) -> mail.isEmpty() ? name : mail.toLowerCase());
    found.put("decided", (UDF2<String, String, String>) (mail, name) -> name.startsWith("A") ? "x" : mail);
    found.put("length", (UDF2<String, String, Integer>) (mail, name) -> mail.length());
    found.put("city", (UDF1<Row, String>) row -> row.<String>getAs("city").toUpperCase());
    found.put("second", (UDF1<Row, String>) row -> row.getString(1));
    found.put("whole", (UDF1<Row, String>) row -> row.toString());
    found.put("helped", (UDF2<String, String, String>) (mail, name) -> shortened(name, 3));
    found.put("looped", (UDF2<String, String, String>) (mail, name) -> {
      StringBuilder made = new StringBuilder();
      for (int i = 0; i < name.length(); i++) {
        made.append(mail.charAt(i % mail.length()));
      }
      return made.toString();
    });
    found.put("switched", (UDF2<String, String, String>) (mail, name) -> {
      switch (name.length()) {
        case 1:
          return "short";
        case 2:
          return mail;
        default:
          return "long";
      }
    });
    found.put("number", (UDF2<String, String, Double>) (mail, name) ->
        new BigDecimal(name.replace(",", ".")).doubleValue() * 2 + Math.abs(-3));
    found.put("day", (UDF2<String, String, Integer>) (mail, name) -> LocalDate.parse(name).plusDays(2).getYear());
    found.put("digest", (UDF1<String, byte[]>) mail ->
        MessageDigest.getInstance("SHA-256").digest(mail.getBytes(StandardCharsets.UTF_8)));
    found.put("formatted", (UDF2<String, String, String>) (mail, name) -> String.format("%s-%s", name, salt));
    found.put("static state", (UDF2<String, String, String>) (mail, name) -> {
      String before = last;
      last = name;
      return mail + before;
    });
    found.put("caught", (UDF2<String, String, String>) (mail, name) -> {
      try {
        return mail + Integer.parseInt(name);
      } catch (NumberFormatException e) {
        return mail;
      }
    });
    found.put("array", (UDF2<String, String, String>) (mail, name) -> {
      String[] held = new String[2];
      held[0] = name;
      return held[0] + mail.length();
    });
    found.put("by position in a loop", (UDF1<Row, String>) row -> {
      String made = "";
      for (int i = 0; i < 2; i++) {
        made += row.getString(i);
      }
      return made;
    });
    found.put("kept in two", (UDF2<String, String, String>) (mail, name) -> {
      StringBuilder one = new StringBuilder(mail);
      StringBuilder same = one;
      one.append("x");
      same.append(name);
      return one.toString();
    });
    List<String> seen = new ArrayList<>();
    found.put("collection of the program", (UDF2<String, String, Boolean>) (mail, name) -> seen.contains(mail));
    int[] counts = {1};
    found.put("array of the program", (UDF2<String, String, Integer>) (mail, name) -> counts[0] + mail.length());
    found.put("encoded into", (UDF2<byte[], byte[], Integer>) (mail, name) -> Base64.getEncoder().encode(mail, name));
    found.put("streamed", (UDF1<String, Long>) mail -> mail.chars().filter(c -> c == 'a').count());
    found.put("property", (UDF2<String, String, String>) (mail, name) -> System.setProperty("k", mail) + name);
    return found;
  }

  /** The mean of lengths, kept in an array. */
  static final class Mean extends Aggregator<String, double[], Double> {
    @Override
    public double[] zero() {
      return new double[2];
    }

    @Override
    public double[] reduce(double[] held, String name) {
      held[0] += name.length();
      held[1] += 1;
      return held;
    }

    @Override
    public double[] merge(double[] one, double[] other) {
      one[0] += other[0];
      one[1] += other[1];
      return one;
    }

    @Override
    public Double finish(double[] held) {
      return held[0] / held[1];
    }

    @Override
    public Encoder<double[]> bufferEncoder() {
      return null;
    }

    @Override
    public Encoder<Double> outputEncoder() {
      return Encoders.DOUBLE();
    }
  }

  /** Folds a text into another; {@code sort} says how. */
  static final class Folded<T> extends Aggregator<T, String, String> {
    private final Fold<T> fold;
    private String before = "";

    Folded(Fold<T> fold) {
      this.fold = fold;
    }

    @Override
    public String zero() {
      return "";
    }

    @Override
    public String reduce(String held, T given) {
      return fold.of(held, given);
    }

    @Override
    public String merge(String one, String other) {
      return one + other;
    }

    @Override
    public String finish(String held) {
      before = held;
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

  interface Fold<T> extends java.io.Serializable {
    String of(String held, T given);
  }

  /** The one that is given last, if it is longer: values pass, lengths decide. */
  static class Longest extends Aggregator<String, String, String> {
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

  /** Has all but its last step of the class above. */
  static final class Inherits extends Longest {
    @Override
    public String finish(String held) {
      return held + "!";
    }
  }

  /** Columns of rows: the first is counted, of the second the greatest is kept. */
  static final class OfRows extends Aggregator<Row, Long, Long> {
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
      return Math.max(one, other);
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

  /** What only merging adds, and what only the first value makes. */
  static final class Merged extends Aggregator<String, StringBuilder, String> {
    @Override
    public StringBuilder zero() {
      return new StringBuilder("[");
    }

    @Override
    public StringBuilder reduce(StringBuilder held, String given) {
      return held.append(given);
    }

    @Override
    public StringBuilder merge(StringBuilder one, StringBuilder other) {
      return new StringBuilder().append(other);
    }

    @Override
    public String finish(StringBuilder held) {
      return held.toString();
    }

    @Override
    public Encoder<StringBuilder> bufferEncoder() {
      return null;
    }

    @Override
    public Encoder<String> outputEncoder() {
      return Encoders.STRING();
    }
  }

  static Map<String, Object> aggregators() {
    Map<String, Object> found = new LinkedHashMap<>();
    found.put("mean", new Mean());
    found.put("longest", new Longest());
    found.put("inherits", new Inherits());
    found.put("of rows", new OfRows());
    found.put("merged", new Merged());
    found.put("folded", new Folded<String>((held, given) -> held + given));
    return found;
  }

  public static void main(String[] arguments) {
    Map<String, Object> all = functions("salt");
    all.putAll(aggregators());
    for (Map.Entry<String, Object> each : all.entrySet()) {
      Json out = new Json(1 << 10);
      out.raw("{").field("name", each.getKey()).key("function").raw("{");
      Functions.write(each.getValue(), out);
      System.out.println(out.raw("}}"));
    }
  }
}
