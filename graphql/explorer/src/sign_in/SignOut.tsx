// The button that signs out: the tab forgets the credential, and all that was asked with it.

import { setCredential, useSession } from "../server/session";
import { answers } from "../server/useAnswer";
import { settings } from "../state/settings";
import { useWords } from "../words/words";

export function SignOut() {
  const words = useWords().runs.signIn;
  const { credential } = useSession();
  if (!settings.signIn || credential === null) {
    return null;
  }
  return (
    <button
      type="button"
      onClick={() => {
        setCredential(null);
        answers.clear();
      }}
    >
      {words.signOut}
    </button>
  );
}
