// A picture as the graph that ELK lays out, and ELK's answer as the places of cards.
import type { ElkNode } from "elkjs/lib/elk-api";

import { type Box, sizeOf } from "../picture/measures";
import type { Picture } from "../picture/model";

export type Places = ReadonlyMap<string, Box>;

/** Beyond this number of connections, a picture is laid out by ELK's quickest strategies. */
const MANY = 800;
const USUAL = {
  "elk.algorithm": "layered",
  "elk.direction": "RIGHT",
  "elk.layered.spacing.nodeNodeBetweenLayers": "72",
  "elk.spacing.nodeNode": "22",
  "elk.spacing.componentComponent": "40",
  "elk.layered.spacing.edgeNodeBetweenLayers": "12",
  "elk.edgeRouting": "POLYLINE",
  "elk.layered.considerModelOrder.strategy": "NODES_AND_EDGES",
};
const QUICK = {
  "elk.layered.thoroughness": "1",
  "elk.layered.nodePlacement.strategy": "SIMPLE",
  "elk.layered.layering.strategy": "LONGEST_PATH",
};

export function elkGraph(picture: Picture): ElkNode {
  const pairs = new Map<string, readonly [string, string]>();
  for (const { source, target, through } of picture.lines) {
    const stops = through ? [source.card, through, target.card] : [source.card, target.card];
    for (let index = 1; index < stops.length; index++) {
      const pair = [stops[index - 1] as string, stops[index] as string] as const;
      pairs.set(pair.join("\u0001"), pair);
    }
  }
  return {
    id: "picture",
    layoutOptions: { ...USUAL, ...(pairs.size > MANY ? QUICK : {}) },
    children: picture.cards.map((card) => ({ id: card.id, ...sizeOf(card) })),
    edges: [...pairs].map(([id, [source, target]]) => ({ id, sources: [source], targets: [target] })),
  };
}

export function placesOf(laidOut: ElkNode): Places {
  return new Map(
    (laidOut.children ?? []).map(({ id, x = 0, y = 0, width = 0, height = 0 }) => [
      id,
      { x, y, width, height },
    ]),
  );
}
