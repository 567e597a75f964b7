// The page for those who may see it: others find the form to sign in, and in a frame the way to the whole page. When a
// credential is refused later on, as an expired token is, the form opens above what is shown, which stays.
import { type ReactNode, useEffect, useRef } from "react";
import { useSession } from "../server/session";
import { settings } from "../state/settings";
import { useWords } from "../words/words";
import type { Arrival } from "./provider";
import { SignIn } from "./SignIn";
import { WholePage } from "./WholePage";

interface Props {
  readonly arrival: Arrival;
  readonly children: ReactNode;
}

export function SignedIn({ arrival, children }: Props) {
  const { credential, refused } = useSession();
  if (settings.signIn && settings.embedded) {
    return <Elsewhere />;
  }
  if (settings.signIn && credential === null) {
    return <SignIn refused={false} arrival={arrival} />;
  }
  return (
    <>
      {children}
      {refused && (
        <Dialog>
          <SignIn refused arrival={{ kind: "nothing" }} />
        </Dialog>
      )}
    </>
  );
}

/** A frame is no place for a credential: whoever has it could draw over it. */
function Elsewhere() {
  const words = useWords().runs.signIn;
  return (
    <section className="sign-in">
      <p>{words.notInFrames}</p>
      <WholePage />
    </section>
  );
}

function Dialog({ children }: { readonly children: ReactNode }) {
  const words = useWords().runs.signIn;
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-label={words.title} className="sign-in-dialog">
      {children}
    </dialog>
  );
}
