// The view of crossings: between which countries personal data go, on a map and one by one.
import { useAddress } from "../../page/address";
import { Problem } from "../../page/Problem";
import { PastMoment } from "../../time/TimeBar";
import { useWords } from "../../words/words";
import { Known } from "../Known";
import { ReportMenu } from "../report/ReportMenu";
import { CrossingItem } from "./CrossingItem";
import { FlowMap } from "./FlowMap";
import { type Flow, flowKey, SIGNS, VERDICTS } from "./flows";
import { type Crossing, useCrossings } from "./useCrossings";

export function CrossingsView() {
  const words = useWords();
  const { crossings } = words;
  const [{ asOf, flow }, go] = useAddress();
  const {
    data: pages,
    error,
    isLoading,
    isFetchingNextPage,
    hasNextPage,
    fetchNextPage,
  } = useCrossings(asOf);
  const whole = pages?.[0];
  const listed = pages?.flatMap((page) => page.edges.map(({ node }) => node)) ?? [];
  const shown = flow === null ? listed : listed.filter(isOf(flow));
  return (
    <div className="privacy-view crossings-view">
      <h1>{crossings.title}</h1>
      <p className="quiet">{crossings.about}</p>
      <PastMoment />
      <ReportMenu kinds={["TRANSFERS"]} />
      {isLoading && <output>{words.loading}</output>}
      {error && <Problem error={error} />}
      {whole && <Known {...whole} />}
      {whole && whole.totalCount > 0 && (
        <>
          <Totals totals={whole.totals} />
          <FlowMap flows={whole.flows} />
        </>
      )}
      {whole && whole.totalCount === 0 && whole.classification.attributes > 0 && (
        <p>
          {crossings.none} {!whole.complete && words.residency.doubtful}
        </p>
      )}
      {flow !== null && (
        <p>
          {crossings.chosen(shown.length)}{" "}
          <button type="button" onClick={() => go({ flow: null })}>
            {crossings.showAll}
          </button>
        </p>
      )}
      <ul className="crossings" aria-label={crossings.list}>
        {shown.map((each) => (
          <CrossingItem key={JSON.stringify([each.attribute.node, each.node])} crossing={each} />
        ))}
      </ul>
      {whole && hasNextPage && (
        <p>
          {crossings.cut(listed.length, whole.totalCount)}{" "}
          <button type="button" disabled={isFetchingNextPage} onClick={() => fetchNextPage()}>
            {crossings.more}
          </button>
        </p>
      )}
    </div>
  );
}

function Totals({ totals }: { totals: readonly { verdict: Flow["verdict"]; count: number }[] }) {
  const { crossings } = useWords();
  const counts = new Map(totals.map(({ verdict, count }) => [verdict, count]));
  return (
    <ul className="totals" aria-label={crossings.legend}>
      {VERDICTS.map((verdict) => (
        <li key={verdict} title={crossings.meaning[verdict]}>
          <span className={`verdict ${verdict}`}>
            <span aria-hidden="true">{SIGNS[verdict]}</span> {crossings.verdicts[verdict]}
          </span>{" "}
          {counts.get(verdict) ?? 0}
        </li>
      ))}
    </ul>
  );
}

/** Whether a crossing is one of a flow. */
function isOf(flow: string): (crossing: Crossing) => boolean {
  return ({ origin, to, verdict }) =>
    (to.length > 0 ? to : [""]).some((country) => flowKey({ origin, to: country, verdict }) === flow);
}
