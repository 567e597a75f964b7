// The state of a run: a sign and a word, so that the colour says nothing alone.
import { useWords } from "../words/words";

export const SIGNS: Readonly<Record<string, string>> = {
  START: "▷",
  RUNNING: "▶",
  COMPLETE: "✓",
  FAIL: "✗",
  ABORT: "■",
};

export function State({ state }: { readonly state: string | null }) {
  const words = useWords().runs;
  if (state === null) {
    return <span>{words.notKnown}</span>;
  }
  return (
    <span className={`state ${state.toLowerCase()}`}>
      <span aria-hidden="true">{SIGNS[state] ?? "·"}</span> {words.states[state] ?? state.toLowerCase()}
    </span>
  );
}
