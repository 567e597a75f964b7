// Bundles the explorer: one page script, one style sheet, and the three web workers of the editor, each by a fixed
// name, so that a page with a strict content policy can load them from its own origin.
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
};

await build({
  ...shared,
  entryPoints: { explorer: "src/explorer.jsx" },
  format: "esm",
  jsx: "automatic",
  loader: { ".ttf": "dataurl", ".woff2": "dataurl" },
});

await build({
  ...shared,
  entryPoints: {
    "editor.worker": "monaco-editor/esm/vs/editor/editor.worker.js",
    "json.worker": "monaco-editor/esm/vs/language/json/json.worker.js",
    "graphql.worker": "monaco-graphql/esm/graphql.worker.js",
  },
  format: "iife",
});
