/// <reference types="vite/client" />
// The order of the folders: each imports from those above it in the list, and from no others.
import { expect, test } from "vitest";

const FOLDERS = [
  "styles",
  "words",
  "state",
  "server",
  "lineage",
  "page",
  "answers",
  "time",
  "privacy",
  "picture",
  "layout",
  "drawing",
  "runs",
  "take_away",
  "matrix",
  "colouring",
  "find",
  "canvas",
  "panels",
  "classify",
  "dead_letters",
  "sign_in",
  "records",
  "command_line",
  "app",
];
const IMPORT = /(?:from|import|import\()\s*"(\.[^"]+)"/g;

const texts = import.meta.glob<string>("../src/**/*.{ts,tsx}", {
  query: "?raw",
  import: "default",
  eager: true,
});
const files = Object.entries(texts).map(([path, text]) => ({ path: path.replace("../src/", ""), text }));

/** The folder of a file or of what it imports; none for a file beside the folders, and for what is outside. */
const folderOf = (path: string) => (path.includes("/") ? path.split("/")[0] : undefined);

const imports = files.flatMap(({ path, text }) =>
  [...text.matchAll(IMPORT)].map(([, given]) => ({
    path,
    from: folderOf(path),
    to: folderOf(new URL(given ?? "", `file:///src/${path}`).pathname.replace("/src/", "")),
  })),
);

test("each folder has its place in the order", () => {
  const folders = new Set(files.flatMap(({ path }) => folderOf(path) ?? []));
  expect([...folders].sort()).toEqual([...FOLDERS].sort());
  expect(imports.length).toBeGreaterThan(files.length);
});

test("a folder imports from those before it only", () => {
  const place = (folder: string | undefined) => (folder ? FOLDERS.indexOf(folder) : -1);
  const later = imports.filter(({ from, to }) => from && place(to) > place(from));
  expect(later.map(({ path, to }) => `${path} imports from ${to}`)).toEqual([]);
});
