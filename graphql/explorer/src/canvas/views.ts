// Views in which text can be read: which zoom a picture opens at, and what a panel that opens leaves of it.
import { getViewportForBounds, type Viewport } from "@xyflow/react";

import type { Box, Size } from "../picture/measures";

/** The least size of text on the screen, in pixels. */
export const LEAST_TEXT = 11;
/** Below this zoom, text of that size has no room in rows, and cards show their names alone. */
export const FAR = 0.45;
/** Below this zoom, it has no room beside names, for namespaces and types. */
export const NAMES_ONLY = 0.7;
/** Below this zoom, names have no room in cards. */
export const NAMELESS = 0.3;
/** The zoom at which a lineage is opened at its start, where all of it could not be read. */
const NEAR = 0.7;
/** The same on a phone. */
const NEAR_ON_PHONE = 0.8;
/** So many cards are too few to be distinguished by their places alone. */
const FEW = 60;
const PADDING = 0.04;
/** What is left free beside a picture that begins at the left edge, in pixels. */
const EDGE = 24;
const STEPS = 20;

/** The zoom in steps, so that sizes of text change seldom while it does. */
export function steppedZoom(zoom: number): number {
  return Math.max(1, Math.min(STEPS, Math.floor(zoom * STEPS))) / STEPS;
}

/** The size that text has in cards at a zoom so that it has the least size on the screen. */
export function textSize(steppedZoom: number): string {
  return `${LEAST_TEXT / steppedZoom}px`;
}

/** The box around boxes. */
export function around(boxes: Iterable<Box>): Box {
  const all = [...boxes];
  const [x, y] = [Math.min(...all.map((box) => box.x)), Math.min(...all.map((box) => box.y))];
  const right = Math.max(...all.map((box) => box.x + box.width));
  const bottom = Math.max(...all.map((box) => box.y + box.height));
  return { x, y, width: right - x, height: bottom - y };
}

/** The view of all boxes, however far away. */
export function viewOf(boxes: Iterable<Box>, { width, height }: Size, most = 1): Viewport {
  return getViewportForBounds(around(boxes), width, height, 0.02, most, PADDING);
}

/** The view in which a picture opens: all of it if it can be read, or else what is around its start. */
export function openingView(
  boxes: readonly Box[],
  start: Box | undefined,
  size: Size,
  narrow: boolean,
): Viewport {
  const whole = viewOf(boxes, size);
  const few = boxes.length <= FEW;
  const least = start || few ? FAR : NAMELESS;
  if (whole.zoom >= least) {
    return whole;
  }
  const readable = narrow ? NEAR_ON_PHONE : NEAR;
  if (start) {
    return centred(start, size, readable);
  }
  return few ? fromLeft(leftmost(boxes), size, readable) : centred(middleOf(boxes), size, FAR);
}

/** The view with a box in its middle; of a high box, with its top. */
function centred(box: Box, { width, height }: Size, zoom: number): Viewport {
  const seen = Math.min(box.height, height / zoom - 48);
  const [x, y] = [box.x + box.width / 2, box.y + seen / 2];
  return { x: width / 2 - x * zoom, y: height / 2 - y * zoom, zoom };
}

/** The view with a box at the left edge, from where a picture is read. */
function fromLeft(box: Box, size: Size, zoom: number): Viewport {
  return { ...centred(box, size, zoom), x: EDGE - box.x * zoom };
}

/** The box at which a picture begins to be read. */
function leftmost(boxes: readonly Box[]): Box {
  return boxes.reduce((first, box) => (box.x < first.x ? box : first));
}

/** The box that is nearest to the middle of all. */
function middleOf(boxes: readonly Box[]): Box {
  const { x, y, width, height } = around(boxes);
  const far = (box: Box) =>
    Math.hypot(box.x + box.width / 2 - x - width / 2, box.y + box.height / 2 - y - height / 2);
  return boxes.reduce((nearest, box) => (far(box) < far(nearest) ? box : nearest));
}

/** Whether a view shows all of a box. */
export function shows({ x, y, zoom }: Viewport, box: Box, { width, height }: Size): boolean {
  const [left, top] = [box.x * zoom + x, box.y * zoom + y];
  return left >= 0 && top >= 0 && left + box.width * zoom <= width && top + box.height * zoom <= height;
}
