// A crossing: which data are where, whether they may be there, and by which way they came.
import { useAddress } from "../../page/address";
import { Categories } from "../../page/Categories";
import { useWords } from "../../words/words";
import { FormWord } from "../FormMark";
import { nameOf, Witness } from "../Witness";
import { wayBack } from "../ways";
import { SIGNS } from "./flows";
import { useCountries } from "./useCountries";
import type { Crossing } from "./useCrossings";

export function CrossingItem({ crossing }: { crossing: Crossing }) {
  const { crossings, privacy } = useWords();
  const countries = useCountries();
  const [, go] = useAddress();
  const { attribute, node, forms, origin, to, verdict, witness } = crossing;
  const why = useReasons(crossing);
  return (
    <li className="crossing">
      <h2>
        <span className={`verdict ${verdict}`} title={crossings.meaning[verdict]}>
          <span aria-hidden="true">{SIGNS[verdict]}</span> {crossings.verdicts[verdict]}
        </span>{" "}
        {countries(origin)} → {countries(to)}
      </h2>
      <dl>
        <dt>{privacy.findings.attribute}</dt>
        <dd>
          {nameOf(attribute.node)} · <Categories keys={attribute.categories} />
        </dd>
        <dt>{privacy.findings.place}</dt>
        <dd>
          {nameOf(node)}{" "}
          <button type="button" className="link" onClick={() => go({ ...wayBack(node), flow: null })}>
            {privacy.findings.show}
          </button>
        </dd>
        <dt>{privacy.findings.forms}</dt>
        <dd>
          {forms.map((form) => (
            <FormWord key={form} form={form} />
          ))}
        </dd>
        {why.length > 0 && (
          <>
            <dt>{crossings.because}</dt>
            <dd>{why.join("; ")}</dd>
          </>
        )}
      </dl>
      {witness.length > 0 && (
        <details>
          <summary>{privacy.holdings.way(witness.length)}</summary>
          <Witness steps={witness} />
        </details>
      )}
    </li>
  );
}

/** What a verdict follows from: policies, safeguards with their days, and what is not known. */
function useReasons({ outside, policies, safeguards, lapsed, unknown }: Crossing): readonly string[] {
  const { crossings, residency } = useWords();
  const countries = useCountries();
  const reasons: Readonly<Record<string, string>> = residency.reasons;
  const kinds: Readonly<Record<string, string>> = crossings.safeguards;
  const named = ({ kind, countries: codes, since, until }: Crossing["safeguards"][number]) =>
    crossings.safeguard(kinds[kind] ?? kind, countries(codes), since, until);
  return [
    ...(outside.length > 0 ? [residency.outside(countries(outside))] : []),
    ...(policies.length > 0 ? [residency.by(policies)] : []),
    ...safeguards.map(named),
    ...lapsed.map((each) => crossings.lapsed(named(each))),
    ...unknown.map((each) => reasons[each] ?? each),
  ];
}
