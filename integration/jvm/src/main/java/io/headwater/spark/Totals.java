package io.headwater.spark;

import org.apache.spark.executor.TaskMetrics;

/** What the tasks of one execution wrote. Kept by the listener bus's thread alone, until its end. */
final class Totals {
  volatile long rowsWritten;
  volatile long bytesWritten;

  @SuppressWarnings("NonAtomicOperationOnVolatileField") // one thread writes
  void add(TaskMetrics metrics) {
    rowsWritten += metrics.outputMetrics().recordsWritten();
    bytesWritten += metrics.outputMetrics().bytesWritten();
  }
}
