// The view in which stewards classify paths, decide on proposals, and look through sources that nobody looked at.
import { useState } from "react";

import { useAddress } from "../page/address";
import { useAnswer } from "../server/useAnswer";
import { useWords } from "../words/words";
import { ClassifyPath } from "./ClassifyPath";
import { Decision, type Saved, UndoBar } from "./Decision";
import { Proposals } from "./Proposals";
import { Unseen } from "./Unseen";
import type { Wish } from "./wish";

export function ClassifyView() {
  const words = useWords();
  const [{ attribute }, go] = useAddress();
  const [wish, setWish] = useState<Wish | null>(null);
  const [saved, setSaved] = useState<Saved | null>(null);
  const [undone, setUndone] = useState(false);
  const { error } = useAnswer("ClassProposals", { first: 1, after: null });
  const wanted = (next: Wish) => {
    setSaved(null);
    setUndone(false);
    setWish(next);
  };
  return (
    <div className="privacy-view classify-view">
      <h1>{words.classify.title}</h1>
      <p className="quiet">{words.classify.about}</p>
      {error?.code === "FORBIDDEN" && <p role="alert">{words.classify.forStewards}</p>}
      {saved && (
        <UndoBar
          saved={saved}
          onUndone={() => {
            setSaved(null);
            setUndone(true);
          }}
        />
      )}
      {undone && <output>{words.classify.isUndone}</output>}
      {wish && (
        <Decision
          key={JSON.stringify(wish)}
          wish={wish}
          onClose={() => setWish(null)}
          onSaved={(made) => {
            setWish(null);
            setSaved(made);
          }}
        />
      )}
      {attribute && <ClassifyPath node={attribute} onWish={wanted} onClose={() => go({ attribute: null })} />}
      <Proposals onWish={wanted} />
      <Unseen onWish={wanted} />
    </div>
  );
}
