// What is written around a picture: what it is of, and the name of its file.
import { readableSteps, shortName } from "../lineage/names";
import type { DrawingWords } from "../words/en/drawing";
import type { Question } from "./model";

/** The title and what is below it. */
export function titlesOf(
  { node, level, way, depth }: Question,
  words: DrawingWords,
): { title: string; subtitle: string } {
  if (!node) {
    return { title: words.all, subtitle: words.levels.DATASET };
  }
  const path = readableSteps(node.path).join(".");
  const title = words.lineageOf(path ? `${shortName(node.name)} · ${path}` : shortName(node.name));
  const chosen = [words.levels[level], words.ways[way], words.steps(depth)];
  return { title, subtitle: `${node.namespace} ${node.name} – ${chosen.join(" · ")}` };
}

/** A moment to the second, in UTC. */
export function momentOf(asOf: string | null): string {
  return `${new Date(asOf ?? Date.now()).toISOString().slice(0, 19)}Z`;
}

/** The name of a file, from letters and digits of the question's. */
export function fileName({ node }: Question, suffix: string): string {
  const parts = node ? [shortName(node.name), ...readableSteps(node.path)] : ["all"];
  const plain = parts
    .join("-")
    .replace(/[^\p{L}\p{N}_]+/gu, "-")
    .replace(/^-+|-+$/g, "");
  return `lineage-${plain.slice(0, 80) || "picture"}.${suffix}`;
}
