// The sign of a difference, which says it without colour.
import { useWords } from "../words/words";
import { type Mark, SIGNS } from "./difference";

export function Sign({ mark }: { mark: Mark }) {
  const words = useWords();
  return (
    <span className={`sign ${mark}`}>
      <span aria-hidden="true">{SIGNS[mark]}</span>
      <span className="unseen">{words.time.marks[mark]}</span>
    </span>
  );
}
