// The event of a dead letter as text that can be corrected and stored.
import { useId, useState } from "react";

import { Problem } from "../page/Problem";
import { type Answer, ask, type ServerError } from "../server/client";
import { answers } from "../server/useAnswer";
import { useWords } from "../words/words";
import { type Change, changesBetween } from "./changes";

type Outcome = Answer<"MendDeadLetter">["mendDeadLetter"];

interface Props {
  readonly letter: string;
  readonly event: unknown;
  readonly onStored: () => void;
}

export function LetterEditor({ letter, event, onStored }: Props) {
  const { server, runs } = useWords();
  const words = runs.deadLetters;
  const [text, setText] = useState(() => JSON.stringify(event, null, 2));
  const [state, setState] = useState<"idle" | "working" | ServerError | Outcome>("idle");
  const label = useId();
  const changes = changesOf(event, text);
  const store = async (made: readonly Change[]) => {
    setState("working");
    try {
      const outcome = (await ask("MendDeadLetter", { key: letter, changes: made })).mendDeadLetter;
      setState(outcome);
      if (outcome.stored) {
        onStored();
      }
      await answers.invalidateQueries({ queryKey: ["DeadLetters"] });
    } catch (error) {
      setState(error as ServerError);
    }
  };
  return (
    <form
      className="letter-editor"
      onSubmit={(submitted) => {
        submitted.preventDefault();
        void store(changes ?? []);
      }}
    >
      <label htmlFor={label}>{words.corrected}</label>
      <textarea
        id={label}
        rows={18}
        spellCheck={false}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <p className="quiet">{changes === null ? words.noJson : words.changes(changes.length)}</p>
      {(changes?.length ?? 0) > 0 && (
        <ul>
          {changes?.map(({ pointer, value }) => (
            <li key={pointer}>
              <code>{pointer}</code> {value ?? words.removed}
            </li>
          ))}
        </ul>
      )}
      <button type="submit" disabled={state === "working" || !changes?.length}>
        {words.storeCorrected}
      </button>
      {state instanceof Error && <Problem error={state} />}
      {typeof state === "object" && "stored" in state && !state.stored && (
        <p className="error" role="alert">
          <code>{state.code}</code> {server.error(state.detail ?? "", state.code ?? "")}
        </p>
      )}
    </form>
  );
}

/** What was changed; null where the text is no event. */
export function changesOf(event: unknown, text: string): Change[] | null {
  try {
    const changes = changesBetween(event, JSON.parse(text));
    return changes.some(({ pointer }) => pointer === "") ? null : changes;
  } catch {
    return null;
  }
}
