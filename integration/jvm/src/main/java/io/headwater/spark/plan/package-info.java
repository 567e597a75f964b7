/** Plans as documents: nodes, their elements, and the objects that only the driver can ask. Nothing is interpreted. */
package io.headwater.spark.plan;
