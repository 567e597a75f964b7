// What the server says in English, and the keys that it answers, in a language of the page: the texts of reports.
import { type Group, NESTED, TEXTS } from "./generated";

interface Template {
  readonly key: string;
  readonly pattern: RegExp;
}

const TEMPLATES: readonly Template[] = Object.entries(TEXTS.en.details).map(([key, text]) => ({
  key,
  pattern: patternOf(text),
}));

/** The texts of a language. */
export interface Catalogue {
  /** A detail or reason of the server, in the language if it is one that Headwater writes. */
  readonly detail: (text: string) => string;
  readonly category: (key: string) => string;
  readonly subject: (key: string) => string;
  /** How a path comes of another, or influences it. */
  readonly subtype: (key: string) => string;
  readonly manipulation: (key: string) => string;
}

export function catalogueOf(language: "en" | "de"): Catalogue {
  const named = (group: Group) => (key: string) => TEXTS[language][group][key] ?? key;
  return {
    detail: language === "en" ? (text) => text : (text) => translated(text, TEXTS[language].details),
    category: named("categories"),
    subject: named("subjects"),
    subtype: named("subtypes"),
    manipulation: named("manipulations"),
  };
}

/** The text, if it fits an English template, by that of the language with the same arguments. */
function translated(text: string, details: Readonly<Record<string, string>>): string {
  for (const { key, pattern } of TEMPLATES) {
    const found = pattern.exec(text);
    if (found) {
      const given = found.groups ?? {};
      return (details[key] ?? text).replace(/{(\w+)}/g, (_, name: string) => {
        const value = given[name] ?? "";
        return NESTED.includes(name) ? translated(value, details) : value;
      });
    }
  }
  return text;
}

/** The pattern of the texts that a template makes. */
function patternOf(template: string): RegExp {
  const parts = template.split(/{(\w+)}/);
  const sources = parts.map((part, at) =>
    at % 2 ? `(?<${part}>.+?)` : part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"),
  );
  return new RegExp(`^${sources.join("")}$`, "s");
}
