// A picture as the graph that ELK lays out, and ELK's answer as the places of cards and the bends of long ways.
import type { ElkExtendedEdge, ElkNode } from "elkjs/lib/elk-api";

import { type Box, type Point, sizeOf } from "../picture/measures";
import type { Line, Picture } from "../picture/model";

/** Where cards stand, by their ids. */
export interface Places extends ReadonlyMap<string, Box> {
  /** The points by which ways between cards pass others, by `legKey`; those without go straight. */
  readonly bends?: ReadonlyMap<string, readonly Point[]>;
  /** Whether better places come once the layout's script has arrived over a slow line. */
  readonly provisional?: boolean;
}

const OPTIONS = {
  "elk.algorithm": "layered",
  "elk.direction": "RIGHT",
  "elk.layered.spacing.nodeNodeBetweenLayers": "56",
  "elk.spacing.nodeNode": "22",
  "elk.spacing.edgeNode": "16",
  "elk.spacing.edgeEdge": "8",
  "elk.spacing.componentComponent": "40",
  "elk.layered.spacing.edgeNodeBetweenLayers": "12",
  "elk.edgeRouting": "POLYLINE",
  "elk.layered.considerModelOrder.strategy": "NODES_AND_EDGES",
};

/** The legs of a line: from card to card, by way of its job's card. */
export function legsOf({ source, target, through }: Line): (readonly [string, string])[] {
  return through === null
    ? [[source.card, target.card]]
    : [
        [source.card, through],
        [through, target.card],
      ];
}

export function legKey(leg: readonly [string, string]): string {
  return leg.join("\u0001");
}

export function elkGraph(picture: Picture): ElkNode {
  const legs = new Map(picture.lines.flatMap(legsOf).map((leg) => [legKey(leg), leg]));
  return {
    id: "picture",
    layoutOptions: OPTIONS,
    children: picture.cards.map((card) => ({ id: card.id, ...sizeOf(card) })),
    edges: [...legs].map(([id, [source, target]]) => ({ id, sources: [source], targets: [target] })),
  };
}

export function placesOf(laidOut: ElkNode): Places {
  const boxes = new Map(
    (laidOut.children ?? []).map(({ id, x = 0, y = 0, width = 0, height = 0 }): [string, Box] => [
      id,
      { x, y, width, height },
    ]),
  );
  const bent = (laidOut.edges ?? []).map((edge): [string, readonly Point[]] => [edge.id, bendsOf(edge)]);
  return Object.assign(boxes, { bends: new Map(bent.filter(([, points]) => points.length > 0)) });
}

function bendsOf({ sections }: ElkExtendedEdge): readonly Point[] {
  return (sections ?? []).flatMap((section) => section.bendPoints ?? []);
}
