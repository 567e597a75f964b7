// Which cards of a large picture are elements of the page: those in view, as far as their names can be read.
import { useStore } from "@xyflow/react";
import { useMemo, useRef } from "react";

import type { Places } from "../layout/elk_graph";
import type { Box, Point } from "../picture/measures";
import type { Card } from "../picture/model";
import { FAR } from "./views";

/** Larger pictures have elements for the cards in view alone, and none where cards show no more than their names. */
export const MANY_CARDS = 300;
/** The width and height of the tiles by which cards come into view, in pixels at zoom 1. */
const TILE = 200;

/** Tiles by their numbers: the first column and row, and those after the last. */
type Area = readonly [number, number, number, number];

export interface InView {
  /** Whether all cards are painted rather than elements. */
  readonly painted: boolean;
  readonly has: (box: Box) => boolean;
}

const ALL: InView = { painted: false, has: () => true };
const NONE: InView = { painted: true, has: () => false };

/**
 * What is in view of a picture of that many cards; the same object until other tiles are. Cards that are painted become
 * elements when the view rests: hundreds of them take longer than a frame.
 */
export function useInView(cards: number, moving: boolean): InView {
  const many = cards > MANY_CARDS;
  const painted = useRef(false);
  const text = useStore(({ transform: [x, y, zoom], width, height }) =>
    !many
      ? "all"
      : zoom < FAR || (moving && painted.current)
        ? "none"
        : areaOf({ x, y, zoom, width, height }).join(),
  );
  painted.current = text === "none";
  return useMemo(() => {
    if (text === "all" || text === "none") {
      return text === "all" ? ALL : NONE;
    }
    const area = text.split(",").map(Number) as unknown as Area;
    return { painted: false, has: (box) => isIn(box, area) };
  }, [text]);
}

interface Seen {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
  readonly width: number;
  readonly height: number;
}

/** The tiles that the view shows. */
export function areaOf({ x, y, zoom, width, height }: Seen): Area {
  const tile = (at: number) => Math.floor(at / zoom / TILE);
  return [tile(-x), tile(-y), tile(width - x) + 1, tile(height - y) + 1];
}

export function isIn({ x, y, width, height }: Box, [left, top, right, bottom]: Area): boolean {
  return x < right * TILE && y < bottom * TILE && x + width > left * TILE && y + height > top * TILE;
}

/** The card at a point of the picture. */
export function cardAt(cards: readonly Card[], places: Places, { x, y }: Point): Card | null {
  const isAt = (box: Box | undefined) =>
    box && x >= box.x && y >= box.y && x <= box.x + box.width && y <= box.y + box.height;
  return cards.find((card) => isAt(places.get(card.id))) ?? null;
}
