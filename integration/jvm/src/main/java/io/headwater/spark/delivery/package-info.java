/** Documents on their way to the brain: a bounded queue, a process, a pipe, and the settings of all that. */
package io.headwater.spark.delivery;
