// A picture as an SVG file: it needs no script, no style sheet and no font of its own.
import { SIGNS } from "../time/difference";
import { element, escaped, fitted, rounded } from "./markup";
import type { Drawing, Frame } from "./model";
import { cardsOf, LETTER, mark, SANS } from "./svg_cards";
import { kindOf, linesOf, strokeOf } from "./svg_lines";

const MARGIN = 24;
const HEAD = 64;
const TEXT_LINE = 18;
const NARROWEST = 560;
const CHARACTER = 6.8;
const SAMPLE = 34;

/** The text of the file. */
export function svgOf(drawing: Drawing, frame: Frame): string {
  const { palette } = frame;
  const boxes = [...drawing.places.values()];
  const right = Math.max(NARROWEST, ...boxes.map((box) => box.x + box.width));
  const bottom = Math.max(0, ...boxes.map((box) => box.y + box.height));
  const width = Math.ceil(right) + 2 * MARGIN;
  const foot = footOf(drawing, frame, width - 2 * MARGIN);
  const height = Math.ceil(HEAD + bottom + MARGIN + foot.height + MARGIN);
  const size = { width, height, viewBox: `0 0 ${width} ${height}` };
  const picture = { transform: `translate(${MARGIN} ${HEAD})` };
  const below = { transform: `translate(${MARGIN} ${HEAD + Math.ceil(bottom) + MARGIN})` };
  return element(
    "svg",
    { xmlns: "http://www.w3.org/2000/svg", ...size, role: "img", "font-family": SANS },
    ...lines([
      element("title", {}, escaped(`${frame.title}: ${frame.subtitle}`)),
      element("rect", { width, height, fill: palette.ground }),
      ...headOf(frame, width - 2 * MARGIN),
      element("g", picture, ...lines([...linesOf(drawing, palette), ...cardsOf(drawing, frame)])),
      element("g", below, ...lines(foot.parts)),
    ]),
  );
}

/** The elements, each on a line of its own. */
function lines(elements: readonly string[]): string[] {
  return ["\n", ...elements.map((each) => `${each}\n`)];
}

function headOf({ title, subtitle, palette }: Frame, width: number): string[] {
  return [
    element(
      "text",
      { x: MARGIN, y: 30, "font-size": 18, "font-weight": 600, fill: palette.text },
      escaped(fitted(title, width, 10.5)),
    ),
    element(
      "text",
      { x: MARGIN, y: 49, "font-size": 13, fill: palette.quiet },
      escaped(fitted(subtitle, width, CHARACTER)),
    ),
  ];
}

/** The legend, what is left out, the moment and the address, from the top down. */
function footOf(drawing: Drawing, frame: Frame, width: number): { parts: string[]; height: number } {
  const legend = legendOf(drawing, frame, width);
  const { notes, moment, address, palette, words } = frame;
  const lines = [
    ...notes.map((note) => [note, palette.warning] as const),
    [words.asOf(moment), palette.quiet] as const,
    ...(address ? [[address, palette.quiet] as const] : []),
  ];
  const texts = lines.map(([text, fill], index) =>
    element(
      "text",
      { y: legend.height + TEXT_LINE * index + 14, "font-size": 12.5, fill },
      escaped(fitted(text, width, CHARACTER)),
    ),
  );
  return { parts: [...legend.parts, ...texts], height: legend.height + TEXT_LINE * lines.length };
}

/** What the strokes and marks in the picture mean: only of those that are there. */
function legendOf(drawing: Drawing, frame: Frame, width: number): { parts: string[]; height: number } {
  const { words, palette } = frame;
  const kinds = new Set(drawing.picture.lines.map((line) => kindOf(line, drawing.lit)));
  const strokes = [
    ["value", words.value],
    ["influence", words.influence],
    ["lit value", words.litValue],
    ["lit influence", words.litInfluence],
    ["pruned", words.pruned],
    ["added", `${SIGNS.added} ${words.marks.added}`],
    ["gone", `${SIGNS.gone} ${words.marks.gone}`],
    ["changed", `${SIGNS.changed} ${words.marks.changed}`],
  ] as const;
  const entries = strokes
    .filter(([kind]) => kinds.has(kind))
    .map(([kind, text]) => ({
      text,
      sample: element("path", { ...strokeOf(kind, palette), class: "sample", d: `M0 0h${SAMPLE - 8}` }),
    }));
  if (drawing.picture.cards.some((card) => card.gapCount > 0)) {
    entries.push({ text: words.gap, sample: mark((SAMPLE - 8) / 2, 0, palette) });
  }
  const forms = new Set(drawing.picture.cards.flatMap((card) => card.rows.flatMap((row) => row.form ?? [])));
  for (const form of forms) {
    const letter = element(
      "text",
      { x: 13, y: 4, "text-anchor": "middle", ...LETTER, fill: palette.text },
      words.letters[form],
    );
    entries.push({ text: words.forms[form], sample: letter });
  }
  let [x, y] = [0, 10];
  const parts = entries.map(({ text, sample }) => {
    const wide = SAMPLE + text.length * CHARACTER + 24;
    if (x > 0 && x + wide > width) {
      [x, y] = [0, y + 24];
    }
    const label = element("text", { x: SAMPLE, y: 4, "font-size": 12.5, fill: palette.text }, escaped(text));
    const entry = element("g", { transform: `translate(${rounded(x)} ${y})` }, sample, label);
    x += wide;
    return entry;
  });
  return { parts, height: entries.length > 0 ? y + 18 : 0 };
}
