/**
 * The eye: what Spark loads into the driver, and how its notifications become documents for the brain. The packages below, from
 * the lowest: {@code document} and {@code reflection}, {@code data}, {@code plan}, {@code run}; {@code delivery} knows
 * documents alone. Each may use those before it and no others, which the test {@code LayersTest} sees to. {@code records} stands
 * for itself: sessions that capture records load it, the listener does not.
 */
package io.headwater.spark;
