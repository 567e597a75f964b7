// Where the cards of a picture stand: computed by ELK in a worker, or quickly for pictures that are too large for it.
import ELK, { type ElkNode } from "elkjs/lib/elk-api";

import type { Picture } from "../picture/model";
import { elkGraph, type Places, placesOf } from "./elk_graph";
import { quickPlaces } from "./quick_places";

/** Beyond this number of connections, ELK takes too long. */
const MANY = 250;

/** A line that carries fewer bytes in a second than this is slow. */
const SLOW = 100_000;
/** Of a shorter wait, nothing is concluded, in milliseconds. */
const SHORT = 2_000;

interface Engine {
  readonly elk: InstanceType<typeof ELK>;
  /** Resolves if the worker's script cannot be loaded, as in an outage: ELK waits for it for ever. */
  readonly broken: Promise<null>;
}

let engine: Engine | null = null;
/** The last graph and its layout: marks that arrive change a picture, and no places. */
let last: { readonly text: string; readonly laidOut: Promise<ElkNode> } | null = null;

/**
 * Starts the worker, so that it is ready when the first picture is. Over a slow line its script, which is larger than all
 * others together, waits for the first picture.
 */
export function prepare(script: string): void {
  if (!isLineSlow()) {
    running(script);
  }
}

function isLineSlow(): boolean {
  return isSlow(performance.getEntriesByType("resource") as PerformanceResourceTiming[]);
}

/** Whether the page's own scripts came over a slow line. */
export function isSlow(
  loaded: readonly Pick<PerformanceResourceTiming, "initiatorType" | "transferSize" | "duration">[],
): boolean {
  return loaded.some(
    ({ initiatorType, transferSize, duration }) =>
      initiatorType === "script" &&
      duration > SHORT &&
      transferSize / (duration / 1000) < SLOW &&
      transferSize > 0,
  );
}

function running(script: string): Engine {
  engine ??= started(script);
  return engine;
}

function started(script: string): Engine {
  const worker = new Worker(script);
  const broken = new Promise<null>((resolve) => {
    worker.addEventListener("error", () => {
      engine = null;
      last = null;
      resolve(null);
    });
  });
  return { elk: new ELK({ workerFactory: () => worker }), broken };
}

/** The places of the cards. */
export async function arrange(picture: Picture, script: string): Promise<Places> {
  const graph = elkGraph(picture);
  if (picture.cards.length === 0) {
    return new Map();
  }
  if ((graph.edges ?? []).length > MANY) {
    return quickPlaces(picture);
  }
  if (!engine && isLineSlow()) {
    running(script);
    return Object.assign(quickPlaces(picture), { provisional: true });
  }
  const { elk, broken } = running(script);
  const text = JSON.stringify(graph);
  last = last?.text === text ? last : { text, laidOut: elk.layout(graph) };
  const laidOut = await Promise.race([last.laidOut, broken]);
  return laidOut ? placesOf(laidOut) : quickPlaces(picture);
}
