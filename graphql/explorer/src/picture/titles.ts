// What a card has as its title, and below it.
import { grouped } from "../lineage/grouped";
import { jobTitle } from "../lineage/job_titles";
import { shortNames } from "../lineage/names";
import type { Card } from "./model";

/** Between the application and what it does, in the title of a job of Spark. */
const DOES = ": ";

/** Of a job of Spark, what it does; of another one whose name has parts, the application. */
export function titleOf({ kind, title }: Card): string {
  return kind === "job" ? (partsOf(title).title ?? title) : title;
}

/** The namespace; of a job of Spark the application, and of another one whose name has parts, the last of them. */
export function subtitleOf({ kind, title, namespace }: Card): string {
  return (kind === "job" && partsOf(title).subtitle) || namespace;
}

function partsOf(title: string): { readonly title?: string; readonly subtitle?: string } {
  const at = title.indexOf(DOES);
  if (at > 0) {
    return { title: title.slice(at + DOES.length), subtitle: title.slice(0, at) };
  }
  const [first = title, ...others] = title.split(".");
  return { title: first, subtitle: others.at(-1) ?? "" };
}

/** The cards, each called so that no other of its kind and namespace is called alike. */
export function distinguished(cards: readonly Card[]): Card[] {
  const names = grouped(cards, ({ kind, namespace }) => JSON.stringify([kind, namespace]));
  const short = new Map([...names].map(([key, alike]) => [key, shortNames(alike.map(({ name }) => name))]));
  return cards.map((card) => {
    const title = short.get(JSON.stringify([card.kind, card.namespace]))?.get(card.name) ?? card.title;
    return card.kind === "group" ? card : { ...card, title: card.kind === "job" ? jobTitle(title) : title };
  });
}

/** Whether the reader may not see what it is: the server gives such datasets and jobs closed names. */
export function isClosed({ namespace, kind }: Card): boolean {
  return namespace === "closed" && kind !== "group";
}
