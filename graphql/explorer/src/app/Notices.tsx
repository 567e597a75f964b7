// What is said over the picture: that it loads, that it is empty, that it failed, and what it leaves out.
import type { UseQueryResult } from "@tanstack/react-query";

import type { Grouping } from "../picture/groups";
import type { Picture } from "../picture/model";
import { type Answer, isOutage, type ServerError, type Variables } from "../server/client";
import { useWords } from "../words/words";
import { useAddress } from "./address";
import type { Asked } from "./useLineage";

/** The most datasets of a data flow that the server lists, and how many it lists at first. */
const MOST_OF_FLOW = 5000;
const PAGE_OF_FLOW = 1000;

/** What to ask for that many pages of the data flow. */
export function flowVariables(pages: number): Variables<"DataFlow"> {
  return pages > 1 ? { first: Math.min(MOST_OF_FLOW, pages * PAGE_OF_FLOW) } : {};
}

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
          {isOutage(error) && <p>{words.askedAgain}</p>}
        </div>
      )}
      {!loading && !error && picture.cards.length === 0 && <p className="notice">{words.nothing}</p>}
      <div className="notes">
        {(asked.growing || flow.isPlaceholderData) && !loading && (
          <output className="note">{words.loading}</output>
        )}
        {limited && (
          <output className="note">
            {words.limited(all.datasets.length, all.datasetCount)}
            {all.datasets.length < MOST_OF_FLOW ? (
              <More disabled={flow.isFetching} />
            ) : (
              words.canvas.mostOfFlow(MOST_OF_FLOW)
            )}
          </output>
        )}
        {asked.lineage.cut && (
          <output className="note">
            {words.cut} {words.canvas.soFar(asked.lineage.nodes.size)}
            {asked.goesOn ? <More disabled={asked.growing} /> : words.canvas.goOn}
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

/** Asks for a page more of what a limit cut. */
function More({ disabled }: { disabled: boolean }) {
  const words = useWords();
  const [{ pages }, go] = useAddress();
  return (
    <button type="button" disabled={disabled} onClick={() => go({ pages: pages + 1 })}>
      {words.canvas.showMore}
    </button>
  );
}
