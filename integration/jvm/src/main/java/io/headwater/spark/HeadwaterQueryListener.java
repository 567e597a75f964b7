package io.headwater.spark;

import java.util.Collections;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.util.QueryExecutionListener;
import org.slf4j.LoggerFactory;

/**
 * A second entry, for {@code spark.sql.queryExecutionListeners}: a program that sets {@code spark.extraListeners}
 * itself replaces ours, but seldom both. Made with the first session; it attaches to the running application,
 * which does nothing when the application is already watched.
 */
public final class HeadwaterQueryListener implements QueryExecutionListener {
  public HeadwaterQueryListener() {
    try {
      SparkContext context = (SparkContext) Mirror.activeContext();
      if (context != null) {
        HeadwaterListener.attach(context, Collections.emptyMap());
      }
    } catch (Throwable e) { // a listener that throws here would keep the session from starting
      LoggerFactory.getLogger("io.headwater.spark").warn("Headwater is not watching this application", e);
    }
  }

  @Override
  public void onSuccess(String function, QueryExecution execution, long nanos) {}

  @Override
  public void onFailure(String function, QueryExecution execution, Exception error) {}
}
