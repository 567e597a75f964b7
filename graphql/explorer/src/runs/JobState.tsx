// The state of a job's newest run on its card in the picture; it comes beside the picture, so that news moves no card.
import { createContext, useContext } from "react";

import { useWords } from "../words/words";
import { SIGNS } from "./State";

export const RunStates = createContext<ReadonlyMap<string, string>>(new Map());

export function JobState({ card }: { readonly card: string }) {
  const words = useWords();
  const state = useContext(RunStates).get(card);
  if (!state) {
    return null;
  }
  const text = words.program.runState(words.runs.states[state] ?? state.toLowerCase());
  return (
    <span className={`job-state ${state.toLowerCase()}`} title={text}>
      <span aria-hidden="true">{SIGNS[state] ?? "·"}</span>
      <span className="unseen">{text}</span>
    </span>
  );
}
