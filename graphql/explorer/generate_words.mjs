// Writes src/words/generated.ts: the texts of the reports' catalogues that the page says, too, in each language: the
// details of gaps, reasons and errors that the server writes in English, and the names of keys.
import { readFileSync, writeFileSync } from "node:fs";

import { parse } from "yaml";

const CATALOGUES = "../../backend/headwater_backend/reports/languages";
const GROUPS = [
  "details",
  "split",
  "errors",
  "error_codes",
  "categories",
  "subjects",
  "subtypes",
  "manipulations",
];

const read = (name) => parse(readFileSync(`${CATALOGUES}/${name}.yaml`, "utf8"));
const texts = ["en", "de"].map((language) => {
  const all = read(language);
  return [language, Object.fromEntries(GROUPS.map((group) => [group, all[group]]))];
});
writeFileSync(
  "src/words/generated.ts",
  `export const NESTED: readonly string[] = ${JSON.stringify(read("nested"))};\n` +
    "type Texts = Readonly<Record<string, string>>;\n" +
    `export type Group = ${GROUPS.map((group) => JSON.stringify(group)).join(" | ")};\n` +
    `export const TEXTS: Readonly<Record<"en" | "de", Readonly<Record<Group, Texts>>>> = ${JSON.stringify(Object.fromEntries(texts))};\n`,
);
