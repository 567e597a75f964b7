// What a steward wants to decide, how it is sent, and how it is taken back.
import type { PathRef } from "../lineage/names";
import { type Answer, ask } from "../server/client";

/** Paths to classify, or proposals to confirm or reject; a whole dataset without categories was looked through. */
export type Wish =
  | { readonly kind: "classify"; readonly nodes: readonly PathRef[]; readonly categories: readonly string[] }
  | { readonly kind: "confirm" | "reject"; readonly nodes: readonly PathRef[] };

export type Decided = Answer<"Classify">["classify"];

/** What a steward had decided about the paths before. */
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

/** What a steward has decided about these very paths until now; what is taken back leads to it. */
export async function classesBefore(nodes: readonly PathRef[]): Promise<Before> {
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

/** Decide again what was decided before about each of the paths; revoke where nothing was. */
export async function takeBack(nodes: readonly PathRef[], before: Before, reason: string): Promise<void> {
  const decided = nodes.filter((node) => before.has(nodeText(node)));
  const undecided = nodes.filter((node) => !before.has(nodeText(node)));
  if (decided.length > 0) {
    const classes = decided.map((node) => ({
      node: plain(node),
      categories: before.get(nodeText(node)) ?? [],
    }));
    await ask("Classify", { classes, reason, dryRun: false });
  }
  if (undecided.length > 0) {
    await ask("RevokeClasses", { nodes: undecided.map(plain), reason, dryRun: false });
  }
}

export function nodeText({ namespace, name, path }: PathRef): string {
  return JSON.stringify([namespace, name, path]);
}

function plain({ namespace, name, path }: PathRef) {
  return { namespace, name, path };
}
