// The sizes of what is drawn, in pixels at zoom 1. The style sheet has the same.
import type { Card } from "./model";
import { MORE } from "./rows";

export const CARD_WIDTH = 248;
export const JOB_WIDTH = 176;
export const HEADER = 46;
export const ROW = 26;
export const PADDING = 6;
const JOB_HEIGHT = 42;

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Box extends Size {
  readonly x: number;
  readonly y: number;
}

export function sizeOf(card: Card): Size {
  if (card.kind === "job") {
    return { width: JOB_WIDTH, height: JOB_HEIGHT };
  }
  const rows = card.rows.length + (card.left ? 1 : 0);
  return { width: CARD_WIDTH, height: HEADER + (rows ? rows * ROW + PADDING : 0) };
}

/** The height, within a card, of the middle of its row, or of its header. */
export function heightOf(card: Card, row: string | null): number {
  const rows = card.rows.length;
  const index = row === MORE ? rows : row === null ? -1 : card.rows.findIndex((each) => each.id === row);
  return index < 0 ? Math.min(HEADER, sizeOf(card).height) / 2 : HEADER + index * ROW + ROW / 2;
}
