package io.headwater.spark.records;

import java.io.Serializable;
import java.security.SecureRandom;
import java.util.function.BinaryOperator;
import java.util.function.LongBinaryOperator;
import org.apache.spark.sql.catalyst.expressions.UnsafeArrayData;
import org.apache.spark.sql.catalyst.util.ArrayData;

/**
 * A hash of two numbers with a secret that is nowhere but here, and so in no plan that Spark shows or logs: SipHash-2-4 (Aumasson and
 * Bernstein, 2012). Who does not have the secret cannot try values to see which of them has a hash.
 */
public final class KeyedHash
    implements LongBinaryOperator, BinaryOperator<ArrayData>, Serializable {
  private static final long serialVersionUID = 1L;
  private static final long LENGTH_OF_TWO = 16L << 56;

  private final long first;
  private final long second;

  /** With a secret of its own. */
  public KeyedHash() {
    SecureRandom random = new SecureRandom();
    first = random.nextLong();
    second = random.nextLong();
  }

  KeyedHash(long first, long second) {
    this.first = first;
    this.second = second;
  }

  @Override
  public long applyAsLong(long one, long other) {
    long[] state = {
      first ^ 0x736f6d6570736575L,
      second ^ 0x646f72616e646f6dL,
      first ^ 0x6c7967656e657261L,
      second ^ 0x7465646279746573L
    };
    add(state, one);
    add(state, other);
    add(state, LENGTH_OF_TWO);
    state[2] ^= 0xff;
    for (int round = 0; round < 4; round++) {
      mix(state);
    }
    return state[0] ^ state[1] ^ state[2] ^ state[3];
  }

  /** The hashes of the pairs in two lists of the same length. */
  @Override
  public ArrayData apply(ArrayData some, ArrayData others) {
    long[] found = new long[some.numElements()];
    for (int place = 0; place < found.length; place++) {
      found[place] = applyAsLong(some.getLong(place), others.getLong(place));
    }
    return UnsafeArrayData.fromPrimitiveArray(found);
  }

  private static void add(long[] state, long word) {
    state[3] ^= word;
    mix(state);
    mix(state);
    state[0] ^= word;
  }

  private static void mix(long[] v) {
    v[0] += v[1];
    v[1] = Long.rotateLeft(v[1], 13) ^ v[0];
    v[0] = Long.rotateLeft(v[0], 32);
    v[2] += v[3];
    v[3] = Long.rotateLeft(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = Long.rotateLeft(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = Long.rotateLeft(v[1], 17) ^ v[2];
    v[2] = Long.rotateLeft(v[2], 32);
  }

  /** What Spark shows of it in a plan. */
  @Override
  public String toString() {
    return "keyed hash";
  }
}
