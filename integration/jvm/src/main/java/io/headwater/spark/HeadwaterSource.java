package io.headwater.spark;

import com.codahale.metrics.MetricRegistry;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.metrics.source.Source;
import org.slf4j.LoggerFactory;

/**
 * The entry that cannot end a job: {@code spark.metrics.conf.driver.source.headwater.class}. Spark dies of a class in
 * {@code spark.extraListeners} that it does not find; of a source of metrics it logs an error and goes on. The key is
 * ours alone, so no setting of the user replaces it.
 *
 * <p>Spark makes the driver's sources just before it reads {@code spark.extraListeners}. By then the class path is
 * known to hold the listener, so the source adds it there. It has no metrics.
 */
public final class HeadwaterSource implements Source {
  private static final String LISTENERS = "spark.extraListeners";

  private final MetricRegistry metrics = new MetricRegistry();

  public HeadwaterSource() {
    try {
      SparkConf conf = SparkEnv.get().conf();
      conf.set(LISTENERS, HeadwaterListener.withEntry(conf.get(LISTENERS, ""), HeadwaterListener.class.getName()));
    } catch (Throwable e) { // NOSONAR: nothing here may reach Spark
      LoggerFactory.getLogger("io.headwater.spark").warn("Headwater is not watching this application", e);
    }
  }

  @Override
  public String sourceName() {
    return "headwater";
  }

  @Override
  public MetricRegistry metricRegistry() {
    return metrics;
  }
}
