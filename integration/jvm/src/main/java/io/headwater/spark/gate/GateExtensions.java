package io.headwater.spark.gate;

import org.apache.spark.sql.SparkSessionExtensions;
import org.slf4j.LoggerFactory;
import scala.Function1;
import scala.runtime.BoxedUnit;

/** The entry for {@code spark.sql.extensions}, where the listener puts it if a gate is asked for. Without a gate it adds nothing. */
public final class GateExtensions implements Function1<SparkSessionExtensions, BoxedUnit> {
  @Override
  public BoxedUnit apply(SparkSessionExtensions extensions) {
    try {
      Gate gate = Gate.ofApplication();
      if (gate != null) {
        extensions.injectPreCBORule(session -> new GateRule(gate, session));
        if (Overwrites.areLate()) {
          Overwrites overwrites = new Overwrites(gate);
          extensions.injectCheckRule(session -> overwrites);
        }
      }
    } catch (RuntimeException | LinkageError e) {
      LoggerFactory.getLogger("io.headwater.spark").warn("Headwater's gate is not in force: writes are not judged", e);
    }
    return BoxedUnit.UNIT;
  }
}
