// Where the cards of a picture stand: computed by ELK in a worker.
import ELK from "elkjs/lib/elk-api";

import type { Picture } from "../picture/model";
import { elkGraph, type Places, placesOf } from "./elk_graph";

let engine: InstanceType<typeof ELK> | null = null;

/** The places of the cards; the worker starts with the first picture. */
export async function arrange(picture: Picture, assets: string): Promise<Places> {
  engine ??= new ELK({ workerFactory: () => new Worker(`${assets}/layout.worker.js`) });
  return placesOf(await engine.layout(elkGraph(picture)));
}
