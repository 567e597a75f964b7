/** JSON as bytes, and texts without credentials: what every document is made of. */
package io.headwater.spark.document;
