package io.headwater.spark.document;

/** A frame yet to be encoded; encoding happens on the pipe's own thread. */
public interface Document {
  void write(Json out);
}
