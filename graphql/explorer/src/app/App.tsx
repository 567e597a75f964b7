// The page: a header with views and choices, and the view that the address names.
import { useLayoutEffect } from "react";
import { ClassifyView } from "../classify/ClassifyView";
import { DeadLettersView } from "../dead_letters/DeadLettersView";
import { MatrixView } from "../matrix/MatrixView";
import { useAddress } from "../page/address";
import { CrossingsView } from "../privacy/crossings/CrossingsView";
import { FindingsView } from "../privacy/findings/FindingsView";
import { RunsView } from "../runs/RunsView";
import type { Arrival } from "../sign_in/provider";
import { SignedIn } from "../sign_in/SignedIn";
import { WholePage } from "../sign_in/WholePage";
import { usePreferences, useShade } from "../state/preferences";
import { settings } from "../state/settings";
import { LANGUAGES, WordsContext } from "../words/words";
import { Header } from "./Header";
import { PictureView } from "./PictureView";

export function App({ arrival }: { readonly arrival: Arrival }) {
  const [{ language }] = usePreferences();
  const [address] = useAddress();
  const shade = useShade();
  useLayoutEffect(() => {
    document.documentElement.lang = language;
    document.documentElement.dataset.theme = shade;
    document.documentElement.classList.toggle("embedded", settings.embedded);
  }, [language, shade]);
  return (
    <WordsContext value={LANGUAGES[language]}>
      <a className="skip" href="#main">
        {LANGUAGES[language].skip}
      </a>
      {!settings.embedded && <Header />}
      <main id="main" tabIndex={-1}>
        <SignedIn arrival={arrival}>
          {(settings.embedded || address.view === "picture") && <PictureView />}
          {!settings.embedded && address.view === "matrix" && <MatrixView />}
          {!settings.embedded && address.view === "findings" && <FindingsView />}
          {!settings.embedded && address.view === "crossings" && <CrossingsView />}
          {!settings.embedded && address.view === "classify" && <ClassifyView />}
          {!settings.embedded && address.view === "runs" && <RunsView />}
          {!settings.embedded && address.view === "dead-letters" && <DeadLettersView />}
        </SignedIn>
        {settings.embedded && !settings.signIn && <WholePage />}
      </main>
    </WordsContext>
  );
}
