package io.headwater.spark.code;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.headwater.spark.document.Json;
import org.apache.spark.sql.api.java.UDF1;
import org.junit.jupiter.api.Test;

/** What is sent of a function of the program: its own instructions, without loading or calling anything. */
class FunctionsTest {
  static boolean wasTouched;

  /** Says when its class is initialised. */
  static final class Touched {
    static final Object VALUE = touch();

    static Object touch() {
      wasTouched = true;
      return null;
    }
  }

  static class Below implements UDF1<String, String> {
    @Override
    public String call(String text) {
      return changeable(text) + fixed(text);
    }

    String changeable(String text) {
      return text;
    }

    private static String fixed(String text) {
      return text;
    }
  }

  private static String described(Object function) {
    Json out = new Json(64);
    out.raw("{");
    Functions.write(function, out);
    return out.raw("}").toString();
  }

  @Test
  void aLambdaIsSentWithoutBeingCalledOrLoadingWhatItCalls() {
    String found = described((UDF1<String, Object>) text -> Touched.VALUE);
    assertTrue(found.contains("\"k\":\"jvm\""), found);
    assertTrue(found.contains("FunctionsTest$Touched"), found);
    assertFalse(wasTouched);
  }

  @Test
  void aMethodThatAnotherClassMayReplaceIsNotSentAlong() {
    String found = described(new Below());
    assertTrue(found.contains("\"fixed(Ljava/lang/String;)Ljava/lang/String;\":"), found);
    assertFalse(found.contains("\"changeable(Ljava/lang/String;)Ljava/lang/String;\":"), found);
  }

  @Test
  void ofAFunctionThatCannotBeSerialisedTheClassIsSentAlone() {
    Runnable function = () -> {};
    assertEquals("{\"o\":\"" + function.getClass().getName() + "\"}", described(function));
  }
}
