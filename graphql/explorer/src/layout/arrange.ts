// Where the cards of a picture stand: computed by ELK in a worker, or quickly for pictures that are too large for it.
import ELK from "elkjs/lib/elk-api";

import type { Picture } from "../picture/model";
import { elkGraph, type Places, placesOf } from "./elk_graph";
import { quickPlaces } from "./quick_places";

/** Beyond this number of connections, ELK takes too long. */
const MANY = 250;

interface Engine {
  readonly elk: InstanceType<typeof ELK>;
  /** Resolves if the worker's script cannot be loaded, as in an outage: ELK waits for it for ever. */
  readonly broken: Promise<null>;
}

let engine: Engine | null = null;

/** Starts the worker, so that it is ready when the first picture is. */
export function prepare(script: string): Engine {
  engine ??= started(script);
  return engine;
}

function started(script: string): Engine {
  const worker = new Worker(script);
  const broken = new Promise<null>((resolve) => {
    worker.addEventListener("error", () => {
      engine = null;
      resolve(null);
    });
  });
  return { elk: new ELK({ workerFactory: () => worker }), broken };
}

/** The places of the cards. */
export async function arrange(picture: Picture, script: string): Promise<Places> {
  const graph = elkGraph(picture);
  if ((graph.edges ?? []).length > MANY) {
    return quickPlaces(picture);
  }
  const { elk, broken } = prepare(script);
  const laidOut = await Promise.race([elk.layout(graph), broken]);
  return laidOut ? placesOf(laidOut) : quickPlaces(picture);
}
