// Writes src/server/generated.ts: the types of variables and answers of each kept operation, from the schema. The page
// names operations and never sends their text, so that it works on servers that accept kept operations only.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

import { codegen } from "@graphql-codegen/core";
import * as typescript from "@graphql-codegen/typescript";
import * as operations from "@graphql-codegen/typescript-operations";
import { parse, visit } from "graphql";

const SCHEMA = "../schema.graphql";
const QUERIES = "../queries";
const FRAGMENTS = join(QUERIES, "fragments");
const CONFIG = {
  enumsAsTypes: true,
  skipTypename: true,
  immutableTypes: true,
  avoidOptionals: { field: true },
  scalars: { DateTime: "string", Long: "number", JSON: "unknown" },
};

const schema = parse(readFileSync(SCHEMA, "utf8"));
const parts = [await schemaTypes(), mostWays()];
const kept = [];
for (const file of readdirSync(QUERIES)
  .filter((each) => each.endsWith(".graphql"))
  .sort()) {
  const document = withShared(parse(readFileSync(join(QUERIES, file), "utf8")));
  const operation = document.definitions.find((each) => each.kind === "OperationDefinition");
  kept.push({ name: operation.name.value, kind: operation.operation });
  parts.push(await operationTypes(file, withOwnFragments(document, operation.name.value)));
}
parts.push(index(kept));
writeFileSync("src/server/generated.ts", parts.join("\n"));

/** After how many ways an answer stops at the latest, which is also the default. */
function mostWays() {
  const query = schema.definitions.find((each) => each.name?.value === "Query");
  const field = query.fields.find((each) => each.name.value === "backwardLineage");
  const argument = field.arguments.find((each) => each.name.value === "mostWays");
  return `export const MOST_WAYS = ${Number(argument.defaultValue.value)};\n`;
}

async function schemaTypes() {
  return generate("schema.ts", [], [{ typescript: CONFIG }], { typescript });
}

async function operationTypes(file, document) {
  const config = { ...CONFIG, exportFragmentSpreadSubTypes: false };
  const source = [{ location: basename(file), document }];
  return generate(`${file}.ts`, source, [{ operations: config }], { operations });
}

async function generate(filename, documents, plugins, pluginMap) {
  return codegen({ filename, schema, documents, plugins, pluginMap, config: {} });
}

/** The document with the shared fragments that it uses and has not itself, as `headwater_graphql/queries.py` has it. */
function withShared(document) {
  const definitions = [...document.definitions];
  const known = new Set(
    definitions.flatMap((each) => (each.kind === "FragmentDefinition" ? [each.name.value] : [])),
  );
  for (const definition of definitions) {
    visit(definition, {
      FragmentSpread({ name: { value } }) {
        if (!known.has(value)) {
          known.add(value);
          definitions.push(...parse(readFileSync(join(FRAGMENTS, `${value}.graphql`), "utf8")).definitions);
        }
      },
    });
  }
  return { ...document, definitions };
}

/** The document, with the operation's name before those of its fragments: other files have fragments of these names. */
function withOwnFragments(document, operation) {
  return JSON.parse(JSON.stringify(document), (_key, value) => {
    const fragment = value?.kind === "FragmentDefinition" || value?.kind === "FragmentSpread";
    return fragment ? { ...value, name: { kind: "Name", value: `${operation}${value.name.value}` } } : value;
  });
}

function index(all) {
  const suffix = { query: "Query", mutation: "Mutation", subscription: "Subscription" };
  const lines = all.map(({ name, kind }) => {
    const type = `${name}${suffix[kind]}`;
    return `  ${name}: { variables: ${type}Variables; answer: ${type} };`;
  });
  return `/** Variables and answers by operation. */\nexport interface Operations {\n${lines.join("\n")}\n}\n`;
}
