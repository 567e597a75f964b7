// Cards as SVG: datasets with their rows, jobs, and groups.
import { type Box, HEADER, ROW } from "../picture/measures";
import type { Card, Row } from "../picture/model";
import { subtitleOf, titleOf } from "../picture/titles";
import { SIGNS } from "../time/difference";
import { element, escaped, fitted, fittedName, rounded } from "./markup";
import type { Drawing, Frame, LitWay } from "./model";
import { markColour } from "./palette";

export const SANS = "system-ui, 'Segoe UI', Roboto, Helvetica, Arial, 'DejaVu Sans', sans-serif";
const MONO = "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace";
const TITLE = { size: 14, character: 8 };
const NAMESPACE = { size: 12, character: 6.6 };
const TYPE = { size: 11, character: 6.7 };
const NAME = { size: 12.5, character: 7.6 };
export const LETTER = { "font-size": 12, "font-weight": 700 };
const MARGIN = 10;
const MARK = 9;
const FOLD = 16;
const STEP = 14;
/** Of groups, and of cards that are there for a gap alone. */
const DASHED = { "stroke-dasharray": "5 4" };

/** The cards that have a place, each as a group with its full name as its title. */
export function cardsOf({ picture, places, lit }: Drawing, frame: Frame): string[] {
  return picture.cards.flatMap((card) => {
    const box = places.get(card.id);
    return box ? [cardOf(card, box, lit, frame)] : [];
  });
}

function cardOf(card: Card, box: Box, lit: LitWay | null, frame: Frame): string {
  const title = element("title", {}, escaped(`${card.namespace} ${card.name}`.trim()));
  const place = { class: `card ${card.kind}`, transform: `translate(${rounded(box.x)} ${rounded(box.y)})` };
  const parts = card.kind === "job" ? job(card, box, frame) : dataset(card, box, lit, frame);
  return element("g", place, title, ...parts);
}

function job(card: Card, { width, height }: Box, frame: Frame): string[] {
  const { palette } = frame;
  const gaps = card.gapCount > 0;
  const room = width - 2 * MARGIN - 8 - (gaps ? 5 * MARK : 0);
  const middle = { x: width / 2, "text-anchor": "middle", fill: palette.jobText };
  const outline = card.ghost ? { fill: "none", stroke: palette.jobText, ...DASHED } : { fill: palette.job };
  return [
    element("rect", { width, height, rx: height / 2, ...outline }),
    element(
      "text",
      { ...middle, y: 18, "font-size": 13.5 },
      escaped(fittedName(titleWithSign(card), room, 7.4)),
    ),
    element("text", { ...middle, y: 33, "font-size": 11 }, escaped(fitted(subtitleOf(card), room, 6.1))),
    ...(gaps ? [gapMark(width - MARGIN - MARK, height / 2, card, frame)] : []),
  ];
}

function dataset(card: Card, box: Box, lit: LitWay | null, frame: Frame): string[] {
  const { palette } = frame;
  const { width, height } = box;
  const edge = card.mark ? markColour(card.mark, palette) : card.start ? palette.accent : palette.border;
  const outline = { width, height, rx: 8, fill: card.ghost ? "none" : palette.surface, stroke: edge };
  const dashes = card.kind === "group" || card.ghost ? DASHED : {};
  const room = width - 2 * MARGIN - (card.gapCount > 0 ? 3 * MARK : 0);
  const below = card.kind === "group" ? frame.words.inGroup(card.size) : subtitleOf(card);
  return [
    element("rect", { ...outline, ...dashes, "stroke-width": card.start || card.mark ? 2 : 1 }),
    element(
      "text",
      { x: MARGIN, y: 20, "font-size": TITLE.size, "font-weight": 600, fill: palette.text },
      escaped(fittedName(titleWithSign(card), room, TITLE.character)),
    ),
    element(
      "text",
      { x: MARGIN, y: 37, "font-size": NAMESPACE.size, fill: palette.quiet },
      escaped(fitted(below, room, NAMESPACE.character)),
    ),
    ...(card.gapCount > 0 ? [gapMark(width - MARGIN - MARK, HEADER / 2, card, frame)] : []),
    ...(card.rows.length > 0
      ? [element("line", { x2: width, y1: HEADER, y2: HEADER, stroke: palette.border })]
      : []),
    ...card.rows.map((row, index) => rowOf(row, index, width, lit, frame)),
    ...(card.left ? [moreRows(card, frame)] : []),
  ];
}

/** The title, after the sign of how the card differs between two moments. */
function titleWithSign(card: Card): string {
  return `${signsOf(card)}${titleOf(card)}`;
}

function signsOf({ mark, partly }: Card | Row): string {
  return mark ? `${SIGNS[mark]} ` : partly ? `(${partly.map((each) => SIGNS[each]).join("")}) ` : "";
}

/** The mark of a card whose lineage is not all known; its title has the reasons. */
function gapMark(x: number, y: number, card: Card, { words, palette }: Frame): string {
  const reasons = [
    ...new Set(
      card.gaps.map(({ reason, detail }) => [reason, words.detail(detail ?? "")].filter(Boolean).join(": ")),
    ),
  ];
  const title = [words.gaps(card.gapCount), ...reasons].join("; ");
  return element("g", { class: "gap" }, element("title", {}, escaped(title)), mark(x, y, palette));
}

/** A question mark in a circle. */
export function mark(x: number, y: number, palette: Frame["palette"]): string {
  const circle = element("circle", {
    cx: x,
    cy: y,
    r: MARK,
    fill: palette.warningGround,
    stroke: palette.warning,
  });
  const place = { x, y: y + 4.5, "text-anchor": "middle", "font-size": 12.5, "font-weight": 700 };
  return circle + element("text", { ...place, fill: palette.warning }, "?");
}

function rowOf(
  row: Row,
  index: number,
  width: number,
  lit: LitWay | null,
  { palette, words }: Frame,
): string {
  const y = HEADER + index * ROW;
  const x = 8 + STEP * row.depth;
  const on = lit !== null && row.keys.some((key) => lit.nodes.has(key));
  const value = on && row.keys.some((key) => lit.valueNodes.has(key));
  const ground = value ? palette.accentGround : palette.warningGround;
  const quiet = !row.onLineage || (lit !== null && !on);
  const letter = row.form ? words.letters[row.form] : "";
  const right = width - MARGIN - (letter ? 14 : 0);
  const room = right - x - FOLD;
  const name = fittedName(`${signsOf(row)}${row.name}`, room, NAME.character);
  const rest = room - (name.length + 2) * NAME.character;
  const text = { y: y + ROW / 2 + 4.5, "font-family": MONO };
  const type = row.type !== null && rest > 4 * TYPE.character ? fitted(row.type, rest, TYPE.character) : "";
  const parts = [
    element("title", {}, escaped(row.label)),
    ...(on ? [element("rect", { x: 1, y: y + 1, width: width - 2, height: ROW - 2, fill: ground })] : []),
    ...(row.nested ? [element("path", { d: triangle(x, y + ROW / 2, row.open), fill: palette.quiet })] : []),
    element(
      "text",
      {
        ...text,
        x: x + FOLD,
        "font-size": NAME.size,
        fill: row.mark ? markColour(row.mark, palette) : quiet ? palette.quiet : palette.text,
      },
      escaped(name),
    ),
    ...(type
      ? [
          element(
            "text",
            { ...text, x: right, "text-anchor": "end", "font-size": TYPE.size, fill: palette.quiet },
            escaped(type),
          ),
        ]
      : []),
    ...(letter
      ? [
          element(
            "text",
            { ...LETTER, x: width - MARGIN, y: text.y, "text-anchor": "end", fill: palette.text },
            letter,
          ),
        ]
      : []),
  ];
  const state = on ? (value ? "row lit" : "row lit influenced") : "row";
  return element("g", { class: state }, ...parts);
}

/** The row that says how many are left out. */
function moreRows(card: Card, { words, palette }: Frame): string {
  const y = HEADER + card.rows.length * ROW + ROW / 2 + 4.5;
  return element(
    "text",
    { x: 8 + FOLD, y, "font-size": 12, fill: palette.quiet },
    escaped(words.moreRows(card.left ?? 0)),
  );
}

/** The sign of a row that holds others: it points down when they are shown. */
function triangle(x: number, y: number, open: boolean): string {
  return open ? `M${x + 2} ${y - 2.5}h9l-4.5 6z` : `M${x + 4} ${y - 4.5}v9l6 -4.5z`;
}
