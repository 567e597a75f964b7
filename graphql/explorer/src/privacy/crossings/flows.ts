// How many crossings go from where to where, as the bands of a map: countries of origin on the left, others on the right.
import type { CrossingVerdict } from "../../server/generated";

export interface Flow {
  /** Countries of the attribute's dataset; empty where none is stated. */
  readonly origin: readonly string[];
  /** A country; empty where none is stated. */
  readonly to: string;
  readonly verdict: CrossingVerdict;
  readonly count: number;
}

/** The gravest first, as in lists. */
export const VERDICTS: readonly CrossingVerdict[] = ["VIOLATION", "UNKNOWN", "SAFEGUARDED", "ALLOWED"];

export const SIGNS: Readonly<Record<CrossingVerdict, string>> = {
  VIOLATION: "✕",
  UNKNOWN: "?",
  SAFEGUARDED: "§",
  ALLOWED: "✓",
};

/** A place on one side of the map: the countries of an origin, or the country that data come to. */
export interface Side {
  readonly countries: readonly string[];
  readonly y: number;
  readonly height: number;
  readonly count: number;
}

/** A flow between them: its upper edge on both sides. */
export interface Band {
  readonly flow: Flow;
  readonly from: number;
  readonly to: number;
  readonly height: number;
}

export interface FlowMap {
  readonly origins: readonly Side[];
  readonly ends: readonly Side[];
  readonly bands: readonly Band[];
  readonly height: number;
}

const LEAST = 20;
const MOST = 72;
const SPACE = 18;

/** The text by which an address names a flow. */
export function flowKey({ origin, to, verdict }: Pick<Flow, "origin" | "to" | "verdict">): string {
  return `${[...origin].sort().join(",")}>${to}:${verdict}`;
}

/** The map of all flows: a band is as high as it has crossings, and high enough for its text. */
export function flowMap(flows: readonly Flow[]): FlowMap {
  const most = Math.max(1, ...flows.map(({ count }) => count));
  const heightOf = ({ count }: Flow) => LEAST + ((MOST - LEAST) * count) / most;
  const ordered = [...flows].sort(
    (one, other) =>
      compare(one.origin.join(), other.origin.join()) ||
      compare(one.to, other.to) ||
      VERDICTS.indexOf(one.verdict) - VERDICTS.indexOf(other.verdict),
  );
  const left = stacked(ordered, ({ origin }) => origin, heightOf);
  const right = stacked(ordered, ({ to }) => (to ? [to] : []), heightOf);
  const bands = ordered.map((flow) => ({
    flow,
    from: left.tops.get(flow) ?? 0,
    to: right.tops.get(flow) ?? 0,
    height: heightOf(flow),
  }));
  const height = Math.max(left.height, right.height);
  return { origins: left.sides, ends: right.sides, bands, height };
}

/** What stands below each other on one side, and where each flow begins there. */
function stacked(
  flows: readonly Flow[],
  countriesOf: (flow: Flow) => readonly string[],
  heightOf: (flow: Flow) => number,
) {
  const groups = new Map<string, Flow[]>();
  for (const flow of flows) {
    const key = countriesOf(flow).join();
    groups.set(key, [...(groups.get(key) ?? []), flow]);
  }
  const tops = new Map<Flow, number>();
  const sides: Side[] = [];
  let y = 0;
  for (const [, members] of [...groups].sort(([one], [other]) => compare(one, other))) {
    const top = y;
    for (const flow of members) {
      tops.set(flow, y);
      y += heightOf(flow);
    }
    const count = members.reduce((sum, flow) => sum + flow.count, 0);
    sides.push({ countries: countriesOf(members[0] as Flow), y: top, height: y - top, count });
    y += SPACE;
  }
  return { sides, tops, height: Math.max(0, y - SPACE) };
}

/** By country; where none is stated comes last. */
function compare(one: string, other: string): number {
  return Number(one === "") - Number(other === "") || one.localeCompare(other, "en");
}

/** The outline of a band between two edges. */
export function outline({ from, to, height }: Band, left: number, right: number): string {
  const middle = (left + right) / 2;
  return [
    `M${left} ${from}`,
    `C${middle} ${from} ${middle} ${to} ${right} ${to}`,
    `V${to + height}`,
    `C${middle} ${to + height} ${middle} ${from + height} ${left} ${from + height}`,
    "Z",
  ].join("");
}
