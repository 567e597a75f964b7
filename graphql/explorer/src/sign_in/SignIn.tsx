// The form to sign in: with an API key, or at the identity provider.
import { type FormEvent, useState } from "react";
import { setCredential, useSession } from "../server/session";
import { settings } from "../state/settings";
import { useMomentText } from "../time/localised";
import { useWords } from "../words/words";
import { askAgain, problemOf } from "./check";
import { expiredAt } from "./expiry";
import { type Arrival, leaveFor } from "./provider";

interface Props {
  /** Whether the server refused the credential that was used until now. */
  readonly refused: boolean;
  readonly arrival: Arrival;
}

export function SignIn({ refused, arrival }: Props) {
  const { runs, server } = useWords();
  const words = runs.signIn;
  const momentText = useMomentText();
  const { credential } = useSession();
  const expired = refused ? expiredAt(credential) : null;
  const provider = settings.signIn?.provider;
  return (
    <section className="sign-in" aria-labelledby="sign-in-title">
      <h2 id="sign-in-title">{words.title}</h2>
      <p>{expired ? words.expiredAt(momentText(expired)) : refused ? words.refused : words.why}</p>
      {arrival.kind === "failed" && (
        <p className="error" role="alert">
          {words.failed[arrival.reason]} {arrival.detail.map((each) => server.error(each)).join("; ")}
        </p>
      )}
      {provider?.addresses && (
        <button type="button" className="first" onClick={() => leaveFor(provider)}>
          {words.atProvider(new URL(provider.issuer).host)}
        </button>
      )}
      {provider && !provider.addresses && <p role="alert">{words.providerAway}</p>}
      {settings.signIn?.keys && <KeyForm />}
      {!provider && !settings.signIn?.keys && <p>{words.noWay}</p>}
      <p className="quiet">{words.kept}</p>
    </section>
  );
}

function KeyForm() {
  const { runs, server } = useWords();
  const words = runs.signIn;
  const [key, setKey] = useState("");
  const [problem, setProblem] = useState<readonly string[]>([]);
  async function submit(event: FormEvent) {
    event.preventDefault();
    const found = await problemOf(key.trim());
    setProblem(found);
    if (found.length === 0) {
      setCredential(key.trim());
      askAgain();
    }
  }
  return (
    <form onSubmit={submit}>
      <label>
        {words.key}
        <input
          type="password"
          autoComplete="off"
          spellCheck={false}
          required
          value={key}
          onChange={(event) => setKey(event.target.value)}
          aria-invalid={problem.length > 0}
          aria-describedby={problem.length > 0 ? "sign-in-problem" : undefined}
        />
      </label>
      <button type="submit">{words.withKey}</button>
      {problem.length > 0 && (
        <p id="sign-in-problem" className="error" role="alert">
          {problem.map((each) => server.error(each)).join("; ")}
        </p>
      )}
    </form>
  );
}
