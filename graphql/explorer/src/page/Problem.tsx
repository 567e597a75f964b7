// An error of the server, with what to do about it.
import type { ServerError } from "../server/client";
import { useWords } from "../words/words";

export function Problem({ error }: { error: ServerError }) {
  const words = useWords();
  return (
    <div className="problem" role="alert">
      <strong>{words.errorTitle}</strong> {error.message}
      {error.hint && <p>{error.hint}</p>}
    </div>
  );
}
