package io.headwater.spark.data;

import io.headwater.spark.reflection.Mirror;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.rdd.RDD;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.storage.StorageLevel;

/**
 * When the application's jobs first used each RDD that it keeps (cached rows are such an RDD as well): no row of it was
 * read before. Of more RDDs than {@link #MOST} those used last are known.
 */
public final class KeptRdds {
  private static final int MOST = 10_000;
  private static final Map<Integer, Long> FIRST_USED =
      Collections.synchronizedMap(
          new LinkedHashMap<Integer, Long>(16, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<Integer, Long> eldest) {
              return size() > MOST;
            }
          });

  private KeptRdds() {}

  /** Another application begins, which numbers its RDDs anew. */
  public static void forget() {
    FIRST_USED.clear();
  }

  /** Notes the kept RDDs of a job; returns when the first of them was first used, or null where there is none. */
  public static Long use(SparkListenerJobStart job) {
    Long since = null;
    for (Object stage : Mirror.list(Mirror.get(job, "stageInfos"))) {
      for (Object rdd : Mirror.list(Mirror.get(stage, "rddInfos"))) {
        if (((StorageLevel) Mirror.get(rdd, "storageLevel")).isValid()) {
          Integer id = (Integer) Mirror.get(rdd, "id");
          FIRST_USED.putIfAbsent(id, job.time());
          since = earlier(since, FIRST_USED.get(id));
        }
      }
    }
    return since;
  }

  /** Whether the application has used any. */
  static boolean areAny() {
    return !FIRST_USED.isEmpty();
  }

  /** When it was first used, in epoch milliseconds; null of an RDD that is not kept, or that no job has used. */
  public static Long since(Object rdd) {
    return rdd instanceof RDD ? FIRST_USED.get(((RDD<?>) rdd).id()) : null;
  }

  /** The earlier time; null stands for none. */
  public static Long earlier(Long one, Long other) {
    if (one == null || other == null) {
      return one == null ? other : one;
    }
    return one < other ? one : other;
  }
}
