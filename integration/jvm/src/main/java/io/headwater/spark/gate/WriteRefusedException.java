package io.headwater.spark.gate;

/** A write that a policy forbids, or of which nobody could tell. PySpark knows the class above it, and shows the message alone. */
public final class WriteRefusedException extends UnsupportedOperationException {
  private static final long serialVersionUID = 1L;

  WriteRefusedException(String message) {
    super(message);
  }
}
