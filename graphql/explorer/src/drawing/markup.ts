// SVG as text: elements, escaped names, and texts that are cut to a width.
type Attributes = Readonly<Record<string, string | number | undefined>>;

/** What XML cannot hold, and signs that turn the direction of the text around them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufffe\uffff]|\p{Surrogate}/gu;
const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};
const TAIL = 6;
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u;

/** The text without what cannot be shown. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, "\ufffd");
}

/** The text as it may stand in an element or attribute. */
export function escaped(text: string): string {
  return printable(text).replace(/[&<>"]/g, (sign) => ENTITIES[sign] as string);
}

/** An element with its attributes, but for those that are not defined; the children are markup. */
export function element(name: string, attributes: Attributes, ...children: readonly string[]): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${typeof value === "number" ? rounded(value) : escaped(String(value))}"`)
    .join("");
  return children.length === 0 ? `<${name}${written}/>` : `<${name}${written}>${children.join("")}</${name}>`;
}

export function rounded(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** A name, cut in its middle so that it is at most so wide: what tells long names apart is often at their ends. */
export function fittedName(name: string, width: number, character: number): string {
  const signs = [...printable(name)];
  const cut = fitted(name, width, character);
  const kept = [...cut].length - 1;
  if (cut === signs.join("") || kept < 2 * TAIL) {
    return cut;
  }
  const tail = signs.slice(-TAIL).join("");
  const room = width - character * [...tail].reduce((sum, sign) => sum + (WIDE.test(sign) ? 2 : 1), 0);
  return `${fitted(name, room, character)}${tail}`;
}

/** The text, cut at its end so that it is at most so wide, if a usual character is as wide as the given one. */
export function fitted(text: string, width: number, character: number): string {
  const signs = [...printable(text)];
  const room = width / character;
  const used = (count: number) =>
    signs.slice(0, count).reduce((sum, sign) => sum + (WIDE.test(sign) ? 2 : 1), 0);
  if (used(signs.length) <= room) {
    return signs.join("");
  }
  let count = Math.min(signs.length, Math.floor(room) - 1);
  while (count > 0 && used(count) + 1 > room) {
    count--;
  }
  return `${signs.slice(0, Math.max(0, count)).join("")}…`;
}
