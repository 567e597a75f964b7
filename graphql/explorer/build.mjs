// Bundles the pages, each file by a name of its own origin, so that they load under a strict content policy: the
// explorer with its layout worker, the page of records, and GraphiQL with the workers of its editor. The licences of
// all that is in them are gathered into LICENSES.txt, beside them. Each script and style is there as Brotli and gzip, too.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

import { build } from "esbuild";

const outdir = process.argv[2];
if (!outdir) {
  console.error("usage: node build.mjs OUTPUT_FOLDER");
  process.exit(2);
}

const shared = {
  bundle: true,
  minify: true,
  legalComments: "none",
  target: ["es2022"],
  outdir,
  define: { "process.env.NODE_ENV": '"production"' },
  logLevel: "warning",
  metafile: true,
};

// The explorer is one page script; what few people need is in chunks that are loaded when it is asked for.
const explorer = await build({
  ...shared,
  entryPoints: { explorer: "src/main.tsx" },
  format: "esm",
  jsx: "automatic",
  splitting: true,
  chunkNames: "[name]-[hash]",
  loader: { ".graphql": "text" },
  // Ways of jsPDF that are not gone: pictures of HTML.
  external: ["html2canvas", "dompurify", "canvg"],
});

const records = await build({
  ...shared,
  entryPoints: { records: "src/records/main.tsx" },
  format: "esm",
  jsx: "automatic",
});

const layout = await build({
  ...shared,
  entryPoints: { "layout.worker": "src/layout/layout.worker.ts" },
  format: "iife",
});

// Runs in the command line's own engine, which has no window and no timer for no time; ELK asks for both.
const picture = await build({
  ...shared,
  entryPoints: { picture: "src/command_line/picture.ts" },
  format: "iife",
  banner: { js: "var window=globalThis;globalThis.setTimeout=(call)=>{Promise.resolve().then(call)};" },
});

const graphiql = await build({
  ...shared,
  entryPoints: { graphiql: "graphiql/graphiql.jsx" },
  format: "esm",
  jsx: "automatic",
  loader: { ".ttf": "dataurl", ".woff2": "dataurl" },
});

const editor = await build({
  ...shared,
  entryPoints: {
    "editor.worker": "monaco-editor/esm/vs/editor/editor.worker.js",
    "json.worker": "monaco-editor/esm/vs/language/json/json.worker.js",
    "graphql.worker": "monaco-graphql/esm/graphql.worker.js",
  },
  format: "iife",
});

writeFileSync(
  join(outdir, "LICENSES.txt"),
  licenses(packages([explorer, records, layout, picture, graphiql, editor])),
);

// Compressed once, rather than for each request. The command line's own script is not served.
for (const name of readdirSync(outdir).filter((each) => /\.(js|css)$/.test(each) && each !== "picture.js")) {
  const content = readFileSync(join(outdir, name));
  const { BROTLI_PARAM_QUALITY, BROTLI_MAX_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants;
  const params = { [BROTLI_PARAM_QUALITY]: BROTLI_MAX_QUALITY, [BROTLI_PARAM_SIZE_HINT]: content.length };
  writeFileSync(join(outdir, `${name}.br`), brotliCompressSync(content, { params }));
  writeFileSync(join(outdir, `${name}.gz`), gzipSync(content, { level: 9 }));
}

/** The folders of the packages that went into the bundles, sorted. */
function packages(results) {
  const inputs = results.flatMap((result) => Object.keys(result.metafile.inputs));
  const folders = inputs.map((input) => input.match(/^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//)?.[1]);
  return [...new Set(folders.filter(Boolean))].sort();
}

/** What each package says of itself, with the text of its licence where it brings one. */
function licenses(folders) {
  const sections = folders.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file ? readFileSync(join(folder, file), "utf8").trim() : "";
    return `${name} ${version} (${license})\n\n${text}`.trim();
  });
  return `${sections.join(`\n\n${"=".repeat(80)}\n\n`)}\n`;
}
