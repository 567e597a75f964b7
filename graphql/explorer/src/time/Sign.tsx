// The sign of a difference, which says it without colour.
import { useWords } from "../words/words";
import type { Mark } from "./difference";

export const SIGNS: Readonly<Record<Mark, string>> = { added: "+", gone: "−", changed: "≠" };

export function Sign({ mark }: { mark: Mark }) {
  const words = useWords();
  return (
    <span className={`sign ${mark}`}>
      <span aria-hidden="true">{SIGNS[mark]}</span>
      <span className="unseen">{words.time.marks[mark]}</span>
    </span>
  );
}
