/** Where data lie and what was there when: directories, RDDs, versions of tables, and counts of what was written. */
package io.headwater.spark.data;
