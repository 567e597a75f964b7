// A record as JSON, with the paths marked that contribute or only decided.
import { type PAGES, usePageWords } from "./language";
import { type FoundPath, type Line, lines } from "./marked";

/** The titles of operators by their numbers. */
export type Titles = ReadonlyMap<number, string>;

interface Props {
  readonly value: unknown;
  readonly paths: readonly FoundPath[];
  readonly titles: Titles;
}

export function MarkedRecord({ value, paths, titles }: Props) {
  return (
    <pre>
      {lines(value, paths).map((line, number) => (
        // The lines of a record never change their order.
        // biome-ignore lint/suspicious/noArrayIndexKey: as above
        <Marked key={number} line={line} titles={titles} />
      ))}
    </pre>
  );
}

function Marked({ line, titles }: { readonly line: Line; readonly titles: Titles }) {
  const words = usePageWords();
  const indent = "  ".repeat(line.depth);
  if (!line.found) {
    return <div>{indent + line.text}</div>;
  }
  return (
    <div>
      {indent}
      <mark className={roleOf(line.found)} title={roleText(line.found, titles, words)}>
        {line.text}
      </mark>
    </div>
  );
}

/** What the two marks mean. */
export function Legend() {
  const words = usePageWords();
  return (
    <>
      <mark className="contributes">{words.contributes}</mark>{" "}
      <mark className="influences">{words.influences}</mark>
    </>
  );
}

export function roleOf(found: FoundPath): string {
  return found.contributes ? "contributes" : "influences";
}

export function roleText(found: FoundPath, titles: Titles, words: (typeof PAGES)["en"]): string {
  const named = (numbers: readonly number[]) => numbers.map((each) => titles.get(each) ?? each).join(", ");
  return [
    found.contributes ? words.contributes : words.influences,
    ...(found.accessedBy.length > 0 ? [words.accessed(named(found.accessedBy))] : []),
    ...(found.manipulatedBy.length > 0 ? [words.manipulated(named(found.manipulatedBy))] : []),
  ].join("; ");
}
