// What is said over the picture: that it loads, that it is empty, that it failed, and what it leaves out.
import type { UseQueryResult } from "@tanstack/react-query";

import type { Grouping } from "../picture/groups";
import type { Picture } from "../picture/model";
import type { Answer, ServerError } from "../server/client";
import { useWords } from "../words/words";
import { useAddress } from "./address";
import type { Asked } from "./useLineage";

interface Props {
  readonly asked: Asked;
  readonly flow: UseQueryResult<Answer<"DataFlow">, ServerError>;
  readonly picture: Picture;
  readonly grouping: Grouping;
}

export function Notices({ asked, flow, picture, grouping }: Props) {
  const words = useWords();
  const [address, go] = useAddress();
  const error = address.dataset ? asked.error : flow.error;
  const loading = address.dataset ? asked.loading : flow.isLoading;
  const all = flow.data?.dataFlow;
  const limited = !address.dataset && all && all.datasets.length < all.datasetCount;
  const groups = picture.cards.filter((card) => card.kind === "group").length;
  return (
    <>
      {loading && <output className="notice">{words.loading}</output>}
      {error && (
        <div className="notice error" role="alert">
          <h2>{words.errorTitle}</h2>
          <p>{error.message}</p>
          {error.hint && <p>{error.hint}</p>}
        </div>
      )}
      {!loading && !error && picture.cards.length === 0 && <p className="notice">{words.nothing}</p>}
      <div className="notes">
        {asked.growing && !loading && <output className="note">{words.loading}</output>}
        {limited && <output className="note">{words.limited(all.datasets.length, all.datasetCount)}</output>}
        {asked.lineage.cut && (
          <output className="note">
            {words.cut} {words.canvas.goOn}
          </output>
        )}
        {address.group === "auto" && grouping !== "none" && groups > 0 && (
          <output className="note">
            {words.canvas.foldedByItself(groups)}
            <button type="button" onClick={() => go({ group: "none" })}>
              {words.canvas.unfoldAll}
            </button>
          </output>
        )}
      </div>
    </>
  );
}
