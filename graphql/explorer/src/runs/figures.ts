// Figures of runs as text, and as bars of a chart.
import type { Answer } from "../server/client";

export type Run = Answer<"JobRuns">["jobRuns"]["edges"][number]["node"];

/** Text of a number of seconds, in at most two units. */
export function durationText(seconds: number | null): string {
  if (seconds === null) {
    return "";
  }
  if (seconds < 60) {
    return `${seconds < 10 ? Number(seconds.toFixed(1)) : Math.round(seconds)} s`;
  }
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function secondsBetween(started: string | null, ended: string | null): number | null {
  const seconds = started && ended ? (Date.parse(ended) - Date.parse(started)) / 1000 : null;
  return seconds !== null && seconds >= 0 ? seconds : null;
}

/** The sum of the rows that are known; null where none are. */
export function rowsOf(used: readonly { readonly rows: number | null }[]): number | null {
  const known = used.flatMap(({ rows }) => (rows === null ? [] : [rows]));
  return known.length ? known.reduce((sum, rows) => sum + rows, 0) : null;
}

/** What a chart shows of one run. */
export interface Figure {
  readonly id: string;
  readonly failed: boolean;
  readonly seconds: number | null;
  readonly rows: number | null;
}

export function figureOf(run: Pick<Run, "runId" | "state" | "startedAt" | "endedAt" | "outputs">): Figure {
  return {
    id: run.runId,
    failed: run.state === "FAIL" || run.state === "ABORT",
    seconds: secondsBetween(run.startedAt, run.endedAt),
    rows: rowsOf(run.outputs),
  };
}

export interface Bar {
  readonly id: string;
  readonly failed: boolean;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const LEAST_HEIGHT = 1;
const MOST_WIDTH = 24;

/** Bars for one figure of each run, as high as the largest allows; runs without the figure have no bar. */
export function barsOf(
  figures: readonly Figure[],
  of: (figure: Figure) => number | null,
  width: number,
  height: number,
): { readonly bars: readonly Bar[]; readonly most: number } {
  const most = Math.max(0, ...figures.map((figure) => of(figure) ?? 0));
  const step = width / Math.max(figures.length, 1);
  const bars = figures.flatMap((figure, place): Bar[] => {
    const value = of(figure);
    if (value === null) {
      return [];
    }
    const tall = Math.max(most ? (value / most) * height : 0, LEAST_HEIGHT);
    const { id, failed } = figure;
    return [
      {
        id,
        failed,
        x: place * step,
        y: height - tall,
        width: Math.max(Math.min(step - 2, MOST_WIDTH), 1),
        height: tall,
      },
    ];
  });
  return { bars, most };
}
