// Notices over the picture: that it loads, that it is empty, that it failed, and what it leaves out.

import type { Asked } from "../answers/useLineage";
import { useAddress } from "../page/address";
import type { Grouping } from "../picture/groups";
import type { Picture } from "../picture/model";
import type { Overview } from "../picture/overview_picture";
import { isOutage } from "../server/client";
import { useWords, type Words } from "../words/words";
import { type Home, MOST_GROUPS, MOST_OF_FLOW } from "./useHome";

interface Props {
  readonly asked: Asked;
  readonly home: Home;
  readonly picture: Picture;
  readonly grouping: Grouping;
}

export function Notices({ asked, home, picture, grouping }: Props) {
  const words = useWords();
  const [address, go] = useAddress();
  const error = address.dataset ? asked.error : home.asked.error;
  const loading = address.dataset ? asked.loading : home.asked.isLoading;
  const { flow, overview } = home;
  const limited = !address.dataset && flow && flow.datasets.length < flow.datasetCount;
  const groups = picture.cards.filter((card) => card.kind === "group").length;
  return (
    <>
      {loading && <output className="notice">{words.loading}</output>}
      {error && (
        <div className="notice error" role="alert">
          <h2>{words.errorTitle}</h2>
          <p>{words.server.error(error.message, error.code)}</p>
          {error.hint && <p>{words.server.error(error.hint)}</p>}
          {isOutage(error) && <p>{words.askedAgain}</p>}
        </div>
      )}
      {!loading && !error && picture.cards.length === 0 && <p className="notice">{words.nothing}</p>}
      <div className="notes">
        {(asked.growing || home.asked.isPlaceholderData) && !loading && (
          <output className="note">{words.loading}</output>
        )}
        {limited && (
          <output className="note">
            {words.limited(flow.datasets.length, flow.datasetCount)}
            {flow.datasets.length < MOST_OF_FLOW ? (
              <More disabled={home.asked.isFetching} />
            ) : (
              words.canvas.mostOfFlow(MOST_OF_FLOW)
            )}
          </output>
        )}
        {overview &&
          leftOut(words, overview).map((each, index) => (
            <output className="note" key={each}>
              {each}
              {index === 0 && overview.groups.length < Math.min(MOST_GROUPS, overview.groupCount) && (
                <More disabled={home.asked.isFetching} />
              )}
            </output>
          ))}
        {asked.lineage.cut && (
          <output className="note">
            {words.cut} {words.canvas.soFar(asked.lineage.nodes.size)}
            {asked.goesOn ? <More disabled={asked.growing} /> : words.canvas.goOn}
          </output>
        )}
        {address.group === "auto" && grouping !== "none" && groups > 0 && (
          <output className="note">
            {overview
              ? words.canvas.inGroups(overview.datasetCount, groups, picture.cards.length - groups)
              : words.canvas.foldedByItself(groups)}
            <button type="button" onClick={() => go({ group: "none" })}>
              {words.canvas.unfoldAll}
            </button>
          </output>
        )}
      </div>
    </>
  );
}

/** What a picture of groups leaves out: groups first, if it does. */
export function leftOut(words: Words, { groups, groupCount, connectionsCut }: Overview): string[] {
  return [
    ...(groups.length < groupCount ? [words.canvas.limitedGroups(groups.length, groupCount)] : []),
    ...(connectionsCut ? [words.canvas.limitedConnections] : []),
  ];
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
