// English words of moments and their difference.
export const TIME = {
  title: "Time",
  moment: "Moment",
  now: "now",
  exact: "Exact time",
  version: (place: number, of: number) => `version ${place} of ${of}`,
  toNow: "Back to now",
  older: "Older versions",
  noVersions: "No run is known that wrote this dataset.",
  compare: "Compare with",
  compareWith: "Earlier moment",
  exactEarlier: "Exact earlier time",
  other: "another moment",
  differences: "Differences",
  from: (since: string, until: string) => `What changed from ${since} to ${until}`,
  stop: "Stop comparing",
  marks: { added: "added", gone: "gone", changed: "changed" },
  none: "Nothing differs between the two moments, in this part of the lineage.",
  paths: "Paths",
  edges: "Edges",
  before: "before",
  after: "after",
  order: "The earlier moment is not earlier than the other.",
  doubtful:
    "At one of the moments the lineage is incomplete or cut: what looks new may have been there before, and what looks gone may still be there.",
  within: (depth: number) =>
    depth === 1 ? "Compared within 1 step of the start." : `Compared within ${depth} steps of the start.`,
};
