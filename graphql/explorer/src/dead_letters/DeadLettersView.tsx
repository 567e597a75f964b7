// Events that could not be stored: what they are about and why, one in full, and trying them again.
import { useState } from "react";

import { Heads } from "../page/Heads";
import { Problem } from "../page/Problem";
import { type Answer, ask, type ServerError } from "../server/client";
import { answers, useAnswer } from "../server/useAnswer";
import { useMomentText } from "../time/localised";
import { useWords } from "../words/words";
import { LetterEditor } from "./LetterEditor";

type Letter = Answer<"DeadLetters">["deadLetters"]["edges"][number]["node"];
type Outcome = Answer<"ReplayDeadLetters">["replayDeadLetters"][number];

const MOST = 100;

export function DeadLettersView() {
  const words = useWords();
  const [count, setCount] = useState(50);
  const { data, error, isLoading } = useAnswer("DeadLetters", { first: count });
  const letters = data?.deadLetters.edges.map((edge) => edge.node) ?? [];
  return (
    <section className="runs">
      <header>
        <h1>{words.runs.deadLetters.title}</h1>
      </header>
      <p>{words.runs.deadLetters.why}</p>
      {error?.code === "FORBIDDEN" && <p>{words.runs.deadLetters.forStewards}</p>}
      {error && <Problem error={error} />}
      {isLoading && <output>{words.loading}</output>}
      {data && letters.length === 0 && <p>{words.runs.deadLetters.none}</p>}
      {data && <Letters letters={letters} />}
      {data?.deadLetters.pageInfo.hasNextPage && count < 1_000 && (
        <button type="button" onClick={() => setCount(Math.min(count * 2, 1_000))}>
          {words.runs.more}
        </button>
      )}
    </section>
  );
}

function Letters({ letters }: { readonly letters: readonly Letter[] }) {
  const words = useWords().runs.deadLetters;
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [shown, setShown] = useState<string | null>(null);
  const [stored, setStored] = useState(false);
  const replay = useReplay((tried) => setChosen((now) => without(now, tried)));
  const keys = letters.map((letter) => letter.key).filter((key) => chosen.has(key));
  return (
    <>
      {stored && <output>{words.storedNow}</output>}
      {replay.outcomes && <Outcomes outcomes={replay.outcomes} />}
      {replay.error && <Problem error={replay.error} />}
      {keys.length > 0 && (
        <button type="button" disabled={replay.running} onClick={() => replay.run(keys.slice(0, MOST))}>
          {words.replay(Math.min(keys.length, MOST))}
        </button>
      )}
      {letters.length > 0 && (
        <LetterTable
          letters={letters}
          chosen={chosen}
          onChoose={(key) => setChosen((before) => toggled(before, key))}
          shown={shown}
          onShow={(key) => {
            setStored(false);
            setShown(shown === key ? null : key);
          }}
        />
      )}
      {shown && (
        <WholeLetter
          key={shown}
          letter={shown}
          onStored={() => {
            setShown(null);
            setStored(true);
          }}
        />
      )}
    </>
  );
}

interface LetterTableProps {
  readonly letters: readonly Letter[];
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (key: string) => void;
  readonly shown: string | null;
  readonly onShow: (key: string) => void;
}

function LetterTable({ letters, chosen, onChoose, shown, onShow }: LetterTableProps) {
  const { server, runs } = useWords();
  const words = runs.deadLetters;
  const momentText = useMomentText();
  return (
    <table>
      <Heads of={[words.about, words.code, words.pointer, words.received, words.origin, words.event]} />
      <tbody>
        {letters.map((letter) => (
          <tr key={letter.key}>
            <th scope="row">
              <label>
                <input
                  type="checkbox"
                  checked={chosen.has(letter.key)}
                  aria-label={words.choose(letter.about ?? letter.key)}
                  onChange={() => onChoose(letter.key)}
                />{" "}
                {letter.about ?? letter.key}
              </label>
            </th>
            <td>
              <code>{letter.code}</code> {server.code(letter.code)}
            </td>
            <td>
              <code>{letter.pointer}</code>
            </td>
            <td>{momentText(letter.received)}</td>
            <td>{letter.origin}</td>
            <td>
              <button type="button" aria-expanded={shown === letter.key} onClick={() => onShow(letter.key)}>
                {words.show}
              </button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface WholeLetterProps {
  readonly letter: string;
  readonly onStored: () => void;
}

function WholeLetter({ letter, onStored }: WholeLetterProps) {
  const words = useWords();
  const { data, error } = useAnswer("DeadLetter", { key: letter });
  if (error) {
    return <Problem error={error} />;
  }
  return (
    <section aria-label={words.runs.deadLetters.event}>
      <h2>{words.runs.deadLetters.event}</h2>
      {data?.deadLetter ? (
        <>
          <p className="error">{words.server.error(data.deadLetter.detail, data.deadLetter.code)}</p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
          <pre tabIndex={0}>{readable(data.deadLetter.event)}</pre>
          {data.deadLetter.event != null && (
            <details>
              <summary>{words.runs.deadLetters.edit}</summary>
              <LetterEditor letter={letter} event={data.deadLetter.event} onStored={onStored} />
            </details>
          )}
        </>
      ) : (
        <output>{words.loading}</output>
      )}
    </section>
  );
}

function Outcomes({ outcomes }: { readonly outcomes: readonly Outcome[] }) {
  const { server, runs } = useWords();
  const words = runs.deadLetters;
  const failed = outcomes.filter((each) => !each.stored);
  return (
    <output>
      <p>{words.replayed(outcomes.length - failed.length, outcomes.length)}</p>
      <ul>
        {failed.map((each) => (
          <li key={each.key}>
            <code>{each.code}</code> {server.error(each.detail ?? "", each.code ?? "")}
          </li>
        ))}
      </ul>
    </output>
  );
}

/** Tries letters again; `onTried` is called as soon as their outcomes are shown, before the list is read anew. */
function useReplay(onTried: (keys: readonly string[]) => void) {
  const [outcomes, setOutcomes] = useState<readonly Outcome[] | null>(null);
  const [error, setError] = useState<ServerError | null>(null);
  const [running, setRunning] = useState(false);
  async function run(keys: readonly string[]) {
    setRunning(true);
    setError(null);
    try {
      setOutcomes((await ask("ReplayDeadLetters", { keys })).replayDeadLetters);
      onTried(keys);
    } catch (failure) {
      setError(failure as ServerError);
    }
    setRunning(false);
    await answers.invalidateQueries({ queryKey: ["DeadLetters"] });
  }
  return { outcomes, error, running, run };
}

function toggled(keys: ReadonlySet<string>, key: string): ReadonlySet<string> {
  return new Set(keys.has(key) ? [...keys].filter((each) => each !== key) : [...keys, key]);
}

function without(keys: ReadonlySet<string>, tried: readonly string[]): ReadonlySet<string> {
  return new Set([...keys].filter((each) => !tried.includes(each)));
}

/** The event, indented where it is JSON. */
function readable(event: unknown): string {
  try {
    return JSON.stringify(typeof event === "string" ? JSON.parse(event) : event, null, 2);
  } catch {
    return String(event);
  }
}
