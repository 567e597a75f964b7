// What the server says in English, and the keys that it answers, in a language of the page: the texts of reports.
import { type Group, NESTED, TEXTS } from "./generated";

interface Template {
  readonly group: Group;
  readonly key: string;
  readonly pattern: RegExp;
}

const DETAILS = templatesOf("details");
const PLACEMENTS = templatesOf("split");
/** Hints of errors may be details: which names are alike. */
const ERRORS = [...templatesOf("errors"), ...DETAILS];

/** Before what is wrong in an event: the place there, as a JSON pointer. */
const AT_PLACE = /^(?:the event: |(\/\S*: ))(.*)$/s;

/** The texts of a language. */
export interface Catalogue {
  /** A detail or reason of the server, in the language if it is one that Headwater writes. */
  readonly detail: (text: string) => string;
  /** Why a statement of a split job is computed where it is, and why a column may cross. */
  readonly placement: (text: string) => string;
  /** The message of an error, or a hint; where it is no text of Headwater, after what its code means. */
  readonly error: (text: string, code?: string) => string;
  /** What the code of an error means; empty where nothing is known. */
  readonly code: (code: string) => string;
  readonly category: (key: string) => string;
  readonly subject: (key: string) => string;
  /** How a path comes of another, or influences it. */
  readonly subtype: (key: string) => string;
  readonly manipulation: (key: string) => string;
}

export function catalogueOf(language: "en" | "de"): Catalogue {
  const named = (group: Group) => (key: string) => TEXTS[language][group][key] ?? key;
  const inLanguage = (templates: readonly Template[]) => (text: string) =>
    language === "en" ? text : (translated(text, language, templates) ?? text);
  const code = (key: string) => TEXTS[language].error_codes[key] ?? "";
  return {
    detail: inLanguage(DETAILS),
    placement: inLanguage(PLACEMENTS),
    error: (text, key = "") => {
      if (language === "en") {
        return text;
      }
      const [, place = "", what = text] = AT_PLACE.exec(text) ?? [];
      const meant = code(key) ? `${code(key)}: ${what}` : what;
      return `${place}${translated(what, language, ERRORS) ?? meant}`;
    },
    code,
    category: named("categories"),
    subject: named("subjects"),
    subtype: named("subtypes"),
    manipulation: named("manipulations"),
  };
}

/** The text in the language, with the same arguments, if it fits one of the English templates. */
function translated(text: string, language: "de", templates: readonly Template[]): string | null {
  for (const { group, key, pattern } of templates) {
    const found = pattern.exec(text);
    if (found) {
      const given = found.groups ?? {};
      return (TEXTS[language][group][key] ?? text).replace(/{(\w+)}/g, (_, name: string) => {
        const value = given[name] ?? "";
        return NESTED.includes(name) ? (translated(value, language, templates) ?? value) : value;
      });
    }
  }
  return null;
}

function templatesOf(group: Group): Template[] {
  return Object.entries(TEXTS.en[group]).map(([key, text]) => ({ group, key, pattern: patternOf(text) }));
}

/** The pattern of the texts that a template makes. */
function patternOf(template: string): RegExp {
  const parts = template.split(/{(\w+)}/);
  const sources = parts.map((part, at) =>
    at % 2 ? `(?<${part}>.+?)` : part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"),
  );
  return new RegExp(`^${sources.join("")}$`, "s");
}
