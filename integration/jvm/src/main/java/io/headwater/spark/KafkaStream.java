package io.headwater.spark;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Kafka as a micro-batch of Spark 3.5 knows it: by the reader of its offsets, which keeps the servers and the topics,
 * and no longer by the options that it was made of. A pattern of topics names none.
 */
final class KafkaStream {
  private KafkaStream() {}

  static boolean is(Object stream) {
    return stream != null && Mirror.simpleName(stream.getClass()).matches("Kafka(MicroBatch|Continuous)Stream");
  }

  static void describe(Object stream, Json out) {
    Object batches = Mirror.get(stream, "kafkaOffsetReader");
    Object reader = batches == null ? Mirror.get(stream, "offsetReader") : batches;
    Object servers = Mirror.lookup(Mirror.field(reader, "driverKafkaParams"), "bootstrap.servers");
    out.field("kind", "kafka").field("bootstrapServers", servers == null ? null : servers.toString());
    String topics = String.join(",", topics(Mirror.field(reader, "consumerStrategy")));
    if (!topics.isEmpty()) {
      out.key("subscribe").string(topics, Values.MAX_TEXT);
    }
  }

  private static Set<String> topics(Object strategy) {
    Set<String> topics = new LinkedHashSet<>(Mirror.texts(Mirror.get(strategy, "topics")));
    for (Object partition : Mirror.list(Mirror.get(strategy, "partitions"))) {
      topics.add(Mirror.text(partition, "topic"));
    }
    return topics;
  }
}
