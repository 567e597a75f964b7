// An error of the server, with what to do about it.
import type { ServerError } from "../server/client";
import { useWords } from "../words/words";

export function Problem({ error }: { error: ServerError }) {
  const words = useWords();
  return (
    <div className="problem" role="alert">
      <strong>{words.errorTitle}</strong> {words.server.error(error.message, error.code)}
      {error.hint && <p>{words.server.error(error.hint)}</p>}
    </div>
  );
}
