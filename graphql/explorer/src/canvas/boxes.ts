// Cards as boxes on the canvas of the lines, with their names where these can be read.
import type { Places } from "../layout/elk_graph";
import { grouped } from "../lineage/grouped";
import { type Box, HEADER } from "../picture/measures";
import type { Card } from "../picture/model";
import { isClosed, titleOf } from "../picture/titles";
import { LEAST_TEXT, NAMELESS } from "./views";

/** The properties of the style sheet that have the colours of a box. */
interface Look {
  readonly ground: string;
  readonly text: string;
  readonly border: string;
  readonly dashed: boolean;
}

/** The cards that look alike, from the back to the front. */
export interface Boxes {
  readonly look: Look;
  readonly boxes: readonly Named[];
}

interface Named {
  readonly box: Box;
  readonly name: string;
}

/** What a name leaves free at its sides, as a share of its size. */
const SIDES = 1;
/** How wide a letter is on average, as a share of its size. */
const LETTER = 0.6;

export function boxesOf(cards: readonly Card[], places: Places): Boxes[] {
  const looks = grouped(cards, (card) => JSON.stringify(lookOf(card)));
  return [...looks].map(([look, alike]) => ({
    look: JSON.parse(look) as Look,
    boxes: alike.flatMap((card) => {
      const box = places.get(card.id);
      return box ? [{ box, name: titleOf(card) }] : [];
    }),
  }));
}

/** What a box says without words: its kind, the form of its data, findings, gaps, differences, the start. */
export function lookOf(card: Card): Look {
  const { kind, form, findings, mark, start, ghost } = card;
  const usual =
    kind === "job" ? "--job" : kind === "group" || ghost || isClosed(card) ? "--ground" : "--surface";
  const hasGaps = card.gapCount > 0;
  const border = mark
    ? `--mark-${mark}`
    : findings
      ? "--error"
      : start
        ? "--accent"
        : hasGaps
          ? "--warning"
          : kind === "job"
            ? "--job-text"
            : "--border";
  return {
    ground: form ? `--form-${form.toLowerCase()}` : usual,
    text: form || kind !== "job" ? "--text" : "--job-text",
    border,
    dashed: hasGaps || ghost === true || isClosed(card),
  };
}

/** Draws what `isSeen`; returns how many boxes that were. */
export function drawBoxes(
  context: CanvasRenderingContext2D,
  all: readonly Boxes[],
  style: CSSStyleDeclaration,
  zoom: number,
  isSeen: (box: Box) => boolean,
): number {
  let drawn = 0;
  for (const { look, boxes } of all) {
    context.fillStyle = style.getPropertyValue(look.ground);
    context.strokeStyle = style.getPropertyValue(look.border);
    context.lineWidth = 1 / zoom;
    context.setLineDash(look.dashed ? [3 / zoom, 2 / zoom] : []);
    const seen = boxes.filter(({ box }) => isSeen(box));
    for (const { box } of seen) {
      context.fillRect(box.x, box.y, box.width, box.height);
      context.strokeRect(box.x, box.y, box.width, box.height);
    }
    if (zoom >= NAMELESS) {
      context.fillStyle = style.getPropertyValue(look.text);
      writeNames(context, seen, LEAST_TEXT / zoom);
    }
    drawn += seen.length;
  }
  return drawn;
}

function writeNames(context: CanvasRenderingContext2D, boxes: readonly Named[], size: number): void {
  context.font = `600 ${size}px system-ui, sans-serif`;
  context.textBaseline = "middle";
  context.textAlign = "left";
  for (const { box, name } of boxes) {
    const most = Math.floor((box.width - SIDES * size) / (LETTER * size));
    context.fillText(cut(name, most), box.x + (SIDES * size) / 2, box.y + Math.min(box.height, HEADER) / 2);
  }
}

/** A name of at most that many letters: cut in its middle, since what tells names apart is often at their ends. */
export function cut(name: string, most: number): string {
  const letters = [...name];
  if (letters.length <= most) {
    return name;
  }
  const tail = Math.max(1, Math.floor((most - 1) / 2));
  return `${letters.slice(0, Math.max(1, most - 1 - tail)).join("")}…${letters.slice(-tail).join("")}`;
}
