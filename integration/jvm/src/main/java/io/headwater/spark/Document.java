package io.headwater.spark;

/** A frame yet to be encoded; encoding happens on the pipe's own thread. */
interface Document {
  void write(Json out);
}
