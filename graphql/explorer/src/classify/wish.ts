// What a steward wants to decide, how it is sent, and how it is taken back.
import type { PathRef } from "../lineage/names";
import { type Answer, ask } from "../server/client";

/** Paths to classify, or proposals to confirm or reject; a whole dataset without categories was looked through. */
export type Wish =
  | { readonly kind: "classify"; readonly nodes: readonly PathRef[]; readonly categories: readonly string[] }
  | { readonly kind: "confirm" | "reject"; readonly nodes: readonly PathRef[] };

export type Decided = Answer<"Classify">["classify"];

/** What a steward had said of the paths before. */
export type Before = ReadonlyMap<string, readonly string[]>;

type Known = Answer<"Classes">["classes"]["edges"][number]["node"];

export async function decide(wish: Wish, reason: string, dryRun: boolean): Promise<Decided> {
  const nodes = wish.nodes.map(plain);
  if (wish.kind === "classify") {
    const classes = nodes.map((node) => ({ node, categories: wish.categories }));
    return (await ask("Classify", { classes, reason, dryRun })).classify;
  }
  return (await ask("DecideProposals", { [wish.kind]: nodes, reason, dryRun })).decideProposals;
}

/** What a steward says now of these very paths; what is taken back leads to it. */
export async function saidBefore(nodes: readonly PathRef[]): Promise<Before> {
  const lists = await Promise.all(nodes.map((node) => ask("Classes", { node: plain(node), first: 1000 })));
  return beforeOf(
    nodes,
    lists.flatMap(({ classes }) => classes.edges.map(({ node }) => node)),
  );
}

export function beforeOf(nodes: readonly PathRef[], known: readonly Known[]): Before {
  const wanted = new Set(nodes.map(nodeText));
  const ofStewards = known.filter(({ source, node }) => source === "STEWARD" && wanted.has(nodeText(node)));
  return new Map(ofStewards.map(({ node, categories }) => [nodeText(node), categories]));
}

/** Say again what was said before of each of the paths, or nothing where nothing was. */
export async function takeBack(nodes: readonly PathRef[], before: Before, reason: string): Promise<void> {
  const said = nodes.filter((node) => before.has(nodeText(node)));
  const silent = nodes.filter((node) => !before.has(nodeText(node)));
  if (said.length > 0) {
    const classes = said.map((node) => ({ node: plain(node), categories: before.get(nodeText(node)) ?? [] }));
    await ask("Classify", { classes, reason, dryRun: false });
  }
  if (silent.length > 0) {
    await ask("RevokeClasses", { nodes: silent.map(plain), reason, dryRun: false });
  }
}

export function nodeText({ namespace, name, path }: PathRef): string {
  return JSON.stringify([namespace, name, path]);
}

function plain({ namespace, name, path }: PathRef) {
  return { namespace, name, path };
}
