package io.headwater.spark.delivery;

import io.headwater.spark.document.Document;
import io.headwater.spark.document.Json;
import java.io.IOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * From Spark's listener bus to the brain, in two steps with a thread each: documents are encoded, then written.
 * Both queues are bounded, by number and by bytes; what does not fit is dropped and counted, so that neither a
 * slow nor a hanging brain is felt by the job. Once the brain is gone nothing more is encoded.
 */
public final class Pipe {
  private static final Logger LOG = LoggerFactory.getLogger("io.headwater.spark");
  private static final byte[] END = {};
  private static final Document LAST = out -> {};
  private static final String OVERDUE = "did not finish within spark.headwater.flush.timeout and is ended";
  /** Deep expressions make Catalyst's own recursive methods deep. Reserved, not used, until needed. */
  private static final long STACK_BYTES = 32L << 20;

  /** What is kept of the flush timeout, at most, to end a brain that has not left by itself. */
  private static final long RESERVE_MILLIS = 1_000;

  private final Settings settings;
  private final BlockingQueue<Document> documents = new LinkedBlockingQueue<>();
  private final BlockingQueue<byte[]> frames = new LinkedBlockingQueue<>();
  private final AtomicLong frameBytes = new AtomicLong();
  private final AtomicInteger dropped = new AtomicInteger();
  private final AtomicBoolean closing = new AtomicBoolean();
  private final AtomicBoolean warned = new AtomicBoolean();
  private final AtomicBoolean lossReported = new AtomicBoolean();
  private final CountDownLatch done = new CountDownLatch(1);
  private volatile boolean broken;
  private volatile Brain brain;

  public Pipe(Settings settings) {
    this.settings = settings;
  }

  public void start() {
    thread("headwater-encoder", this::encodeAll).start();
    thread("headwater-writer", this::writeAll).start();
  }

  /** Never blocks. A document that does not fit is counted as dropped. */
  public void offer(Document document) {
    if (closing.get() || broken || documents.size() >= settings.queueDocuments()) {
      drop();
    } else {
      documents.add(document);
    }
  }

  public int dropped() {
    return dropped.get();
  }

  /** How long the brain has, from {@link #close} on. */
  public long brainMillis() {
    return settings.flushMillis() - reserveMillis();
  }

  private long reserveMillis() {
    return Math.min(RESERVE_MILLIS, settings.flushMillis() / 5);
  }

  /**
   * Delivers what is waiting, ends the brain's input and waits for it: as long as the flush timeout allows, at most. A brain
   * that is still at work then goes on by itself; one that never was is ended.
   */
  public void close(Document last) {
    if (!closing.compareAndSet(false, true)) {
      return;
    }
    documents.add(last);
    documents.add(LAST);
    try {
      if (!done.await(brainMillis(), TimeUnit.MILLISECONDS)) {
        reportOverdue();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Brain running = brain;
    if (running != null && !mayGoOn(running)) {
      running.stop(reserveMillis());
    }
  }

  private boolean mayGoOn(Brain running) {
    return settings.lingerMillis() > 0 && running.isWorking();
  }

  private void reportOverdue() {
    Brain running = brain;
    if (running == null || !mayGoOn(running)) {
      warn(OVERDUE);
    } else if (warned.compareAndSet(false, true)) {
      LOG.warn(
          "Headwater's brain did not finish within spark.headwater.flush.timeout: it goes on by itself, for {} s at most"
              + " (spark.headwater.linger.timeout).",
          TimeUnit.MILLISECONDS.toSeconds(settings.lingerMillis()));
    }
  }

  /** Waits until {@link #close} has been through, for the given time at most. */
  public void awaitClosed(long millis) throws InterruptedException {
    done.await(millis, TimeUnit.MILLISECONDS);
  }

  private static Thread thread(String name, Runnable body) {
    Thread thread = new Thread(null, body, name, STACK_BYTES);
    thread.setDaemon(true);
    return thread;
  }

  private void encodeAll() {
    try {
      Document document = documents.take();
      while (document != LAST) {
        encode(document);
        document = documents.take();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      frames.add(END);
    }
  }

  private void encode(Document document) {
    if (broken) {
      drop();
      return;
    }
    try {
      Json out = new Json(1 << 16);
      document.write(out);
      queue(out.toBytes());
    } catch (Exception | LinkageError | OutOfMemoryError | StackOverflowError e) {
      drop();
      reportLoss(e);
    }
  }

  /** The first time as a warning, with all that is known; the events after it state how many documents are missing. */
  private void reportLoss(Throwable e) {
    if (lossReported.compareAndSet(false, true)) {
      LOG.warn("Headwater could not encode a document; the lineage of one execution is lost", e);
    } else {
      LOG.info("Headwater could not encode a document: {}", e.toString());
    }
  }

  private void queue(byte[] frame) {
    if (frameBytes.get() + frame.length > settings.queueBytes()) {
      drop();
    } else {
      frameBytes.addAndGet(frame.length);
      frames.add(frame);
    }
  }

  private void drop() {
    dropped.incrementAndGet();
  }

  private void writeAll() {
    try (Capture capture = Capture.to(settings.capture())) {
      startBrain(capture);
      byte[] frame = frames.take();
      while (frame != END) {
        frameBytes.addAndGet(-frame.length);
        capture.write(frame);
        send(frame, capture);
        frame = frames.take();
      }
      finish();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException | LinkageError | OutOfMemoryError e) {
      LOG.warn("Headwater stopped; the lineage of this application is incomplete", e);
      broken = true;
    } finally {
      done.countDown();
    }
  }

  private void startBrain(Capture capture) {
    try {
      brain = Brain.start(settings.python(), settings.flushMillis() + settings.lingerMillis());
    } catch (IOException e) {
      broken = !capture.isOn();
      warn("could not be started (" + e.getMessage() + "; spark.headwater.python names the interpreter)");
    }
  }

  private void send(byte[] frame, Capture capture) {
    if (brain == null || broken) {
      broken |= !capture.isOn();
      return;
    }
    try {
      brain.send(frame);
    } catch (IOException e) {
      dropped.incrementAndGet();
      Brain gone = brain;
      brain = null;
      broken = !capture.isOn();
      if (!closing.get() || gone.failed()) {
        warn("ended early (" + gone.ending() + ")");
      }
      gone.stop(RESERVE_MILLIS);
    }
  }

  /** Its wait begins before {@link #close}'s does, or after: whichever ends first reports that the brain hangs. */
  private void finish() throws InterruptedException {
    if (brain == null) {
      return;
    }
    if (!brain.finish(brainMillis())) {
      reportOverdue();
    } else if (brain.failed()) {
      warn("failed (" + brain.ending() + ")");
    }
  }

  private void warn(String what) {
    if (warned.compareAndSet(false, true)) {
      LOG.warn("Headwater's brain {}: from here on this application's lineage is lost. The job goes on.", what);
    }
  }
}
