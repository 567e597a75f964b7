// Active lineage as a form: the rows that it is about, what their conditions do, and how to go on where it stopped.
import { type FormEvent, useId } from "react";

import type { Lineage } from "../lineage/graph";
import { datasetKey, shortName } from "../lineage/names";
import { conjoined, type Stop } from "../lineage/pruned";
import { isActive, useAddress } from "../page/address";
import { MOST_WAYS } from "../server/generated";
import { useWords } from "../words/words";

export function ActiveForm({ lineage }: { lineage: Lineage }) {
  const words = useWords().active;
  const [address, go] = useAddress();
  const { dataset } = address;
  if (!dataset || !isActive(address)) {
    return null;
  }
  const ask = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    go({ where: String(given.get("where")).trim(), mostWays: Number(given.get("most-ways")) || null });
  };
  return (
    <section className="active-form" aria-label={words.form}>
      <form key={`${address.where} ${address.mostWays}`} onSubmit={ask}>
        <label>
          {words.where(shortName(dataset.name))}
          <input
            type="text"
            name="where"
            defaultValue={address.where}
            placeholder={words.example}
            spellCheck={false}
          />
        </label>
        <label>
          {words.mostWays}
          <input
            type="number"
            name="most-ways"
            min={1}
            max={MOST_WAYS}
            defaultValue={address.mostWays ?? undefined}
            placeholder={String(MOST_WAYS)}
          />
          {words.ways}
        </label>
        <button type="submit">{words.ask}</button>
        <button
          type="button"
          title={words.record.hint}
          onClick={() => go({ selected: { kind: "dataset", card: datasetKey(dataset) } }, "same")}
        >
          {words.record.title}
        </button>
      </form>
      {lineage.effects.length > 0 && (
        <ul aria-label={words.effects}>
          {lineage.effects.map(({ sql, near, all }) => (
            <li key={sql}>
              <code>{sql}</code> {words.excludes(all)}
              {near === 0 && all !== 0 && all !== null && ` ${words.noneNear}`}
            </li>
          ))}
        </ul>
      )}
      {lineage.stops.map((stop) => (
        <Choices
          key={stop.way}
          stop={stop}
          onChoose={(sql) => go({ where: conjoined(address.where, sql) })}
        />
      ))}
    </section>
  );
}

/** Paths that are named; more are counted. */
const MOST_PLACES = 6;

/** Where an answer stopped, and the conditions with which to go on. */
function Choices({ stop, onChoose }: { stop: Stop; onChoose: (sql: string) => void }) {
  const { active: words, canvas } = useWords();
  const name = useId();
  const choose = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onChoose(String(new FormData(event.currentTarget).get(name)));
  };
  const more = stop.at.length - MOST_PLACES;
  const places = [...stop.at.slice(0, MOST_PLACES), ...(more > 0 ? [canvas.moreEdges(more)] : [])];
  return (
    <form className="stopped" onSubmit={choose}>
      <p>
        {words.stopped(stop.way, stop.ways)} {words.at(places.join(", "))}
      </p>
      {stop.choices.length === 0 ? (
        <p>{words.noChoice}</p>
      ) : (
        <fieldset>
          <legend>{words.choose}</legend>
          {stop.choices.map(({ sql, keeps, ends }) => (
            <label key={sql}>
              <input type="radio" name={name} value={sql} required />
              <code>{sql}</code> {words.does(keeps, ends)}
            </label>
          ))}
          <button type="submit">{words.goOn}</button>
        </fieldset>
      )}
    </form>
  );
}
