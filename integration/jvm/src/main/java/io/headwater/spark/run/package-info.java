/** An application, its executions and its jobs on RDDs, from start to end, as documents. */
package io.headwater.spark.run;
