// The signs of differences, which say them without colour.
import { useWords } from "../words/words";
import { type Mark, SIGNS } from "./difference";

/** The signs of how some of what is in a thing differs. */
export function PartSigns({ marks }: { marks: readonly Mark[] }) {
  const words = useWords();
  return (
    <span className="part-signs" title={words.time.partly(marks.map((mark) => words.time.marks[mark]))}>
      {marks.map((mark) => (
        <span key={mark} className={`sign part ${mark}`} aria-hidden="true">
          {SIGNS[mark]}
        </span>
      ))}
      <span className="unseen">{words.time.partly(marks.map((mark) => words.time.marks[mark]))}</span>
    </span>
  );
}

export function Sign({ mark }: { mark: Mark }) {
  const words = useWords();
  return (
    <span className={`sign ${mark}`}>
      <span aria-hidden="true">{SIGNS[mark]}</span>
      <span className="unseen">{words.time.marks[mark]}</span>
    </span>
  );
}
