// A decision on its way: its effect, the reason, saving it, and taking it back.
import { useState } from "react";

import { Problem } from "../page/Problem";
import type { ServerError } from "../server/client";
import { answers } from "../server/useAnswer";
import { useWords } from "../words/words";
import { Effect } from "./Effect";
import { type Before, classesBefore, decide, takeBack, type Wish } from "./wish";

interface Props {
  readonly wish: Wish;
  readonly onSaved: (saved: Saved) => void;
  readonly onClose: () => void;
}

/** A decision that is saved, with what it takes to take it back. */
export interface Saved {
  readonly wish: Wish;
  readonly before: Before;
  readonly count: number;
}

export function Decision({ wish, onSaved, onClose }: Props) {
  const words = useWords();
  const { classify } = words;
  const [reason, setReason] = useState("");
  const [state, setState] = useState<"idle" | "working" | ServerError>("idle");
  const save = async () => {
    setState("working");
    try {
      const before = await classesBefore(wish.kind === "classify" ? wish.nodes : []);
      const { decisionCount } = await decide(wish, reason, false);
      await forget();
      onSaved({ wish, before, count: decisionCount });
    } catch (error) {
      setState(error as ServerError);
    }
  };
  return (
    <form
      className="class-decision"
      aria-label={classify.kinds[wish.kind]}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <h2>{classify.kinds[wish.kind]}</h2>
      <Effect wish={wish} />
      <label>
        {words.privacy.findings.reason}{" "}
        <input
          type="text"
          required
          value={reason}
          title={words.privacy.findings.reasonNeeded}
          onChange={(event) => setReason(event.target.value)}
        />
      </label>
      <div className="choices">
        <button type="submit" className="primary" disabled={state === "working"}>
          {classify.save}
        </button>
        <button type="button" onClick={onClose}>
          {classify.leave}
        </button>
      </div>
      {state instanceof Error && <Problem error={state} />}
    </form>
  );
}

export function UndoBar({ saved, onUndone }: { readonly saved: Saved; readonly onUndone: () => void }) {
  const { classify } = useWords();
  const [state, setState] = useState<"idle" | "working" | ServerError>("idle");
  const undo = async () => {
    setState("working");
    try {
      await takeBack(saved.wish.nodes, saved.before, classify.undone);
      await forget();
      onUndone();
    } catch (error) {
      setState(error as ServerError);
    }
  };
  return (
    <div className="undo-bar">
      <output>{classify.saved(saved.count)}</output>{" "}
      {saved.count > 0 && (
        <button type="button" disabled={state === "working"} onClick={undo}>
          {classify.undo}
        </button>
      )}
      {state instanceof Error && <Problem error={state} />}
    </div>
  );
}

/** What depends on classes is asked for again. */
async function forget(): Promise<void> {
  await answers.invalidateQueries();
}
