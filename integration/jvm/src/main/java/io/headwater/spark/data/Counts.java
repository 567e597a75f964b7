package io.headwater.spark.data;

import io.headwater.spark.reflection.Mirror;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.AccumulableInfo;
import org.apache.spark.scheduler.TaskInfo;
import org.apache.spark.sql.execution.metric.SQLMetric;

/**
 * What the driver and the tasks of one execution counted: what was written, and how much each of the physical plan's
 * metrics grew. A metric has its own total already; this is the part of it that belongs to this execution, where a
 * cached plan's metrics go on from one execution to the next. The listener bus's thread alone adds to it.
 */
public final class Counts {
  public volatile long rowsWritten;
  public volatile long bytesWritten;
  private final Map<Long, Long> metrics = new ConcurrentHashMap<>();

  @SuppressWarnings("NonAtomicOperationOnVolatileField") // one thread writes
  public void addWritten(TaskMetrics measured) {
    rowsWritten += measured.outputMetrics().recordsWritten();
    bytesWritten += measured.outputMetrics().bytesWritten();
  }

  public void add(TaskInfo task, TaskMetrics measured) {
    addWritten(measured);
    for (Object each : Mirror.list(Mirror.get(task, "accumulables"))) {
      AccumulableInfo counted = (AccumulableInfo) each;
      Object update = Mirror.content(counted.update());
      if ("sql".equals(Mirror.content(counted.metadata())) && update instanceof Long && (Long) update > 0) {
        metrics.merge(counted.id(), (Long) update, Long::sum);
      }
    }
  }

  /** What the driver itself has counted: pairs of a metric and its value. */
  public void add(Iterable<?> updates) {
    for (Object each : updates) {
      scala.Tuple2<?, ?> update = (scala.Tuple2<?, ?>) each;
      metrics.put((Long) update._1(), (Long) update._2());
    }
  }

  /** How much the metric grew in this execution; -1 where it did not. */
  public long of(SQLMetric metric) {
    return metrics.getOrDefault(metric.id(), -1L);
  }
}
