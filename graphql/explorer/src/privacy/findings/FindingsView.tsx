// The view of findings: what violates policies, where, and what people decided about it.
import { useEffect, useRef, useState } from "react";

import { type Address, START, STATES, useAddress } from "../../page/address";
import { Problem } from "../../page/Problem";
import { PastMoment } from "../../time/TimeBar";
import { useWords } from "../../words/words";
import { placeName } from "../Witness";
import { FindingItem } from "./FindingItem";
import { UNDECIDED, useFindings } from "./useFindings";

type Choice = Address["states"];

export function FindingsView() {
  const words = useWords();
  const { findings } = words.privacy;
  const [{ asOf, finding: only, place, states: choice, policy }, go] = useAddress();
  const [notice, setNotice] = useState("");
  const states = choice === "all" ? null : choice === "undecided" ? UNDECIDED : [choice];
  const { data, error, isLoading, hasNextPage, fetchNextPage } = useFindings({
    states: only ? null : states,
    asOf,
    policy: only ? null : policy || null,
    ids: only ? [only] : null,
    at: place,
  });
  const policies = [
    ...new Set([...(policy ? [policy] : []), ...(data ?? []).map((each) => each.policy)]),
  ].sort();
  const nameOf = (each: Choice) =>
    each === "undecided" ? findings.undecided : each === "all" ? findings.all : findings.states[each];
  return (
    <div className="privacy-view findings-view">
      <h1>{findings.title}</h1>
      <p className="quiet">{findings.about}</p>
      <PastMoment />
      {(only || place) && <Opened />}
      <div className="choices" hidden={only !== null}>
        <label>
          {findings.state}
          <select value={choice} onChange={(event) => go({ states: event.target.value as Choice })}>
            {STATES.map((each) => (
              <option key={each} value={each}>
                {nameOf(each)}
              </option>
            ))}
          </select>
        </label>
        <label>
          {findings.policy}
          <select value={policy} onChange={(event) => go({ policy: event.target.value })}>
            <option value="">{findings.anyPolicy}</option>
            {policies.map((each) => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </select>
        </label>
      </div>
      <output>{notice}</output>
      {isLoading && <output>{words.loading}</output>}
      {error && <Problem error={error} />}
      {data?.length === 0 && <p>{only ? findings.notThere : `${findings.none} ${findings.noneMeans}`}</p>}
      <ul className="findings">
        {data?.map((finding) => (
          <FindingItem
            key={finding.id}
            finding={finding}
            onDecided={(state) => setNotice(`${finding.policy}: ${findings.decided(findings.states[state])}`)}
          />
        ))}
      </ul>
      {hasNextPage && (
        <button type="button" onClick={() => fetchNextPage()}>
          {findings.more}
        </button>
      )}
    </div>
  );
}

/** Says which findings the mark that was opened stands for, and leads to all. */
function Opened() {
  const { findings } = useWords().privacy;
  const [{ finding, place }, go] = useAddress();
  const paragraph = useRef<HTMLParagraphElement>(null);
  useEffect(() => paragraph.current?.focus(), []);
  return (
    <p ref={paragraph} tabIndex={-1}>
      {finding || !place ? findings.onlyOne : findings.onlyAt(placeName(place))}{" "}
      <button type="button" onClick={() => go({ finding: START.finding, place: START.place })}>
        {findings.showAll}
      </button>
    </p>
  );
}
