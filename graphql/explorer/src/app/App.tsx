// The page: a header with views and choices, and the view that the address names.
import { useEffect } from "react";

import { FindingsView } from "../privacy/findings/FindingsView";
import { MatrixView } from "../privacy/matrix/MatrixView";
import { LANGUAGES, WordsContext } from "../words/words";
import { useAddress } from "./address";
import { Header } from "./Header";
import { PictureView } from "./PictureView";
import { usePreferences } from "./preferences";

export function App() {
  const [{ theme, language }] = usePreferences();
  const [address] = useAddress();
  useEffect(() => {
    document.documentElement.lang = language;
    document.documentElement.dataset.theme = theme;
  }, [language, theme]);
  return (
    <WordsContext value={LANGUAGES[language]}>
      <a className="skip" href="#main">
        {LANGUAGES[language].skip}
      </a>
      <Header />
      <main id="main" tabIndex={-1}>
        {address.view === "picture" && <PictureView />}
        {address.view === "matrix" && <MatrixView />}
        {address.view === "findings" && <FindingsView />}
      </main>
    </WordsContext>
  );
}
