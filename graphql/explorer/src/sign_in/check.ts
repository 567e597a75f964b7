// Whether the server accepts a credential, and what follows when another one is used.
import { ask, ServerError } from "../server/client";
import { answers } from "../server/useAnswer";

/** What keeps a credential from being used, in the server's words; none if nothing does. */
export async function problemOf(credential: string): Promise<readonly string[]> {
  try {
    await ask("Datasets", { first: 1 }, undefined, credential);
    return [];
  } catch (error) {
    if (error instanceof ServerError) {
      return [error.message, error.hint].filter(Boolean);
    }
    throw error;
  }
}

/** Ask again for what is shown, and forget what was asked with another credential. */
export function askAgain(): void {
  answers.removeQueries({ type: "inactive" });
  void answers.invalidateQueries();
}
