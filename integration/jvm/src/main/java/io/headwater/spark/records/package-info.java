/**
 * Ids that a write carries: a session that captures records puts the rule in, and files of ids are written by the tasks that write the
 * job's own. Nothing else of the eye is needed here, and the eye needs none of it.
 */
package io.headwater.spark.records;
