/**
 * The gate: each write is judged by policies when Spark has planned it, and before it begins. A process of Headwater's Python gives
 * the verdicts; {@link io.headwater.spark.gate.GateExtensions} brings the rule that asks it into a session.
 */
package io.headwater.spark.gate;
