// Where the cards of a picture stand: computed by ELK in a worker, or quickly for pictures that are too large for it.
import ELK from "elkjs/lib/elk-api";

import type { Picture } from "../picture/model";
import { elkGraph, type Places, placesOf } from "./elk_graph";
import { quickPlaces } from "./quick_places";

/** Beyond this number of connections, ELK takes too long. */
const MANY = 250;

let engine: InstanceType<typeof ELK> | null = null;

/** Starts the worker, so that it is ready when the first picture is. */
export function prepare(assets: string): InstanceType<typeof ELK> {
  engine ??= new ELK({ workerFactory: () => new Worker(`${assets}/layout.worker.js`) });
  return engine;
}

/** The places of the cards. */
export async function arrange(picture: Picture, assets: string): Promise<Places> {
  const graph = elkGraph(picture);
  return (graph.edges ?? []).length > MANY
    ? quickPlaces(picture)
    : placesOf(await prepare(assets).layout(graph));
}
