// Which of many equally large things are seen where one has scrolled to.

export interface Slice {
  readonly from: number;
  /** The first one after it. */
  readonly to: number;
}

const BESIDES = 6;

/** The things that are seen, and a few besides. */
export function sliceOf(scrolled: number, seen: number, size: number, count: number): Slice {
  const from = Math.max(0, Math.min(count - 1, Math.floor(scrolled / size) - BESIDES));
  return { from, to: Math.min(count, Math.ceil((scrolled + seen) / size) + BESIDES) };
}

export function indexes({ from, to }: Slice): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
}
