import { expect, test } from "vitest";
import { type Flow, flowKey, flowMap, outline } from "../src/privacy/crossings/flows";
import { countryNames } from "../src/privacy/crossings/useCountries";

const FLOWS: readonly Flow[] = [
  { origin: ["DE"], to: "US", verdict: "VIOLATION", count: 10 },
  { origin: [], to: "US", verdict: "UNKNOWN", count: 1 },
  { origin: ["DE"], to: "US", verdict: "ALLOWED", count: 5 },
  { origin: ["DE"], to: "CH", verdict: "SAFEGUARDED", count: 2 },
  { origin: ["DE"], to: "", verdict: "UNKNOWN", count: 3 },
];

test("each flow has a band, and each country a side as high as its bands", () => {
  const { origins, ends, bands, height } = flowMap(FLOWS);
  expect(bands).toHaveLength(FLOWS.length);
  expect(origins.map(({ countries, count }) => [countries, count])).toEqual([
    [["DE"], 20],
    [[], 1],
  ]);
  expect(ends.map(({ countries, count }) => [countries, count])).toEqual([
    [["CH"], 2],
    [["US"], 16],
    [[], 3],
  ]);
  for (const side of [...origins, ...ends]) {
    expect(side.y + side.height).toBeLessThanOrEqual(height);
  }
});

test("bands that share a side do not overlap there, and the gravest comes first", () => {
  const { bands } = flowMap(FLOWS);
  const toUs = bands.filter(({ flow }) => flow.to === "US").sort((one, other) => one.to - other.to);
  expect(toUs.map(({ flow }) => flow.verdict)).toEqual(["VIOLATION", "ALLOWED", "UNKNOWN"]);
  for (const [index, band] of toUs.slice(1).entries()) {
    const above = toUs[index] as (typeof toUs)[number];
    expect(band.to).toBeCloseTo(above.to + above.height);
  }
});

test("a map of nothing is empty", () => {
  expect(flowMap([])).toEqual({ origins: [], ends: [], bands: [], height: 0 });
});

test("a flow has one name, whatever the order of its countries", () => {
  const flow = { origin: ["DE", "CH"], to: "US", verdict: "ALLOWED" } as const;
  expect(flowKey(flow)).toBe(flowKey({ ...flow, origin: ["CH", "DE"] }));
  expect(flowKey(flow)).not.toBe(flowKey({ ...flow, verdict: "VIOLATION" }));
});

test("an outline is closed, and as high on both sides", () => {
  const [band] = flowMap([{ origin: ["DE"], to: "US", verdict: "ALLOWED", count: 1 }]).bands;
  expect(outline(band as NonNullable<typeof band>, 0, 100)).toBe("M0 0C50 0 50 0 100 0V72C50 72 50 72 0 72Z");
});

test("countries are named in the reader's language, and other texts stand for themselves", () => {
  expect(countryNames(["US", "DE"], "en")).toBe("United States, Germany");
  expect(countryNames(["DE"], "de")).toBe("Deutschland");
  expect(countryNames(["Utopia", "x"], "en")).toBe("Utopia, x");
});
