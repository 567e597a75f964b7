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
import org.apache.spark.sql.Row;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.api.java.UDF2;

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

  public static void main(String[] arguments) {
    for (Map.Entry<String, Object> each : functions("salt").entrySet()) {
      Json out = new Json(1 << 10);
      out.raw("{").field("name", each.getKey()).key("function").raw("{");
      Functions.write(each.getValue(), out);
      System.out.println(out.raw("}}"));
    }
  }
}
