// Where the cards of a picture stand: computed by ELK in a worker.
import ELK from "elkjs/lib/elk-api";

import type { Picture } from "../picture/model";
import { elkGraph, type Places, placesOf } from "./elk_graph";

let engine: InstanceType<typeof ELK> | null = null;

/** Starts the worker, so that it is ready when the first picture is. */
export function prepare(assets: string): InstanceType<typeof ELK> {
  engine ??= new ELK({ workerFactory: () => new Worker(`${assets}/layout.worker.js`) });
  return engine;
}

/** The places of the cards. */
export async function arrange(picture: Picture, assets: string): Promise<Places> {
  return placesOf(await prepare(assets).layout(elkGraph(picture)));
}
