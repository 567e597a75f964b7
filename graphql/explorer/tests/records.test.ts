import { expect, test } from "vitest";
import { languageOf } from "../src/records/language";
import { type FoundPath, lines } from "../src/records/marked";
import { placesOf, placeText } from "../src/records/places";
import { recordsPage } from "../src/runs/records_page";

const path = (name: string, contributes = true): FoundPath => ({
  path: name,
  contributes,
  accessedBy: [],
  manipulatedBy: [],
});
const RECORD = { text: "Hello", user: { id: "lp", name: "Lisa" }, mentions: [{ id: "ls" }, { id: "jm" }] };

function marked(...paths: FoundPath[]): string[] {
  return lines(RECORD, paths)
    .filter((line) => line.found)
    .map((line) => `${line.found?.contributes ? "+" : "-"} ${line.text.replace(/,$/, "")}`);
}

test("the values of paths are marked, and all that lies below them", () => {
  expect(marked(path("text"), path("user", false))).toEqual([
    '+ "text": "Hello"',
    '- "user": {',
    '- "id": "lp"',
    '- "name": "Lisa"',
    "- }",
  ]);
});

test("an element is marked by its position, and each by none", () => {
  expect(marked(path("mentions[2].id"))).toEqual(['+ "id": "jm"']);
  expect(marked(path("mentions[].id"))).toEqual(['+ "id": "ls"', '+ "id": "jm"']);
});

test("what is stated about a deeper path counts there", () => {
  expect(marked(path("user", false), path("user.id"))).toContain('+ "id": "lp"');
});

test("the lines are the record's JSON, whatever is marked", () => {
  const text = lines(RECORD, [path("")]).map((line) => line.text);
  expect(JSON.parse(text.join(""))).toEqual(RECORD);
});

test("the page is in the language of its address, or else of the browser", () => {
  expect(languageOf("?output=x&language=de", ["en-GB"])).toBe("de");
  expect(languageOf("?language=fr", ["fr", "de-AT", "en"])).toBe("de");
  expect(languageOf("", ["fr"])).toBe("en");
});

test("the explorer's link names the output and the language", () => {
  const { searchParams } = new URL(recordsPage("/lake/a&b", "de"));
  expect([searchParams.get("output"), searchParams.get("language")]).toEqual(["/lake/a&b", "de"]);
});

test("records are named by file and position, one in each line", () => {
  expect(placesOf("file:/lake/a:b.parquet:12\n\n  part.parquet:3 \n")).toEqual([
    { file: "file:/lake/a:b.parquet", position: 12 },
    { file: "part.parquet", position: 3 },
  ]);
  expect(placeText({ file: "file:/lake/a.parquet", position: 2 })).toBe("file:/lake/a.parquet:2");
});

test("what names no position is sent as it is, for the server to refuse", () => {
  expect(placesOf("part.parquet")).toEqual([{ file: "", position: 0 }]);
  expect(placesOf("part.parquet:x")).toEqual([{ file: "part.parquet", position: 0 }]);
});
