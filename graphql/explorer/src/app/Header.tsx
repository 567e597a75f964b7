// The header: the way home, the views, and the reader's settings.
import { Find } from "../find/Find";
import { START, useAddress, VIEWS, type View } from "../page/address";
import { Compact } from "../page/Compact";
import { LanguageField } from "../page/LanguageField";
import { useSession } from "../server/session";
import { useAnswer } from "../server/useAnswer";
import { SignOut } from "../sign_in/SignOut";
import { THEMES, type Theme, usePreferences } from "../state/preferences";
import { settings } from "../state/settings";
import { useNarrow } from "../state/useMedia";
import { useWords } from "../words/words";

export function Header() {
  const words = useWords();
  const [address, go] = useAddress();
  const narrow = useNarrow();
  const views = useViews();
  return (
    <header className="header">
      <Compact label={words.menu} chosen={words.views[address.view]} until={address.view}>
        <button type="button" className="logo" onClick={() => go(START)}>
          {words.title}
        </button>
        <nav aria-label={words.title}>
          {views.map((view) => (
            <button
              type="button"
              key={view}
              aria-current={view === address.view ? "page" : undefined}
              onClick={() => go({ view, finding: START.finding, place: START.place })}
            >
              {words.views[view]}
            </button>
          ))}
        </nav>
        {narrow && <Settings />}
      </Compact>
      <Find />
      {!narrow && (
        <details className="settings">
          <summary>{words.settings}</summary>
          <div className="menu">
            <Settings />
          </div>
        </details>
      )}
    </header>
  );
}

/** The root field that one has to be allowed to ask for, to open the page of a view. */
const ASKED: Record<View, string> = {
  picture: "dataFlow",
  matrix: "exposureMatrix",
  findings: "findings",
  crossings: "crossings",
  runs: "jobs",
  "dead-letters": "deadLetters",
  classify: "classify",
};

/** The views that the reader may open; all as long as that is not known. */
function useViews(): readonly View[] {
  const { credential } = useSession();
  const { data } = useAnswer("Caller", settings.signIn && credential === null ? null : {});
  return data ? VIEWS.filter((view) => data.caller.fields.includes(ASKED[view])) : VIEWS;
}

function Settings() {
  const words = useWords();
  const [{ theme, language }, prefer] = usePreferences();
  return (
    <div className="fields">
      <label>
        {words.theme}
        <select value={theme} onChange={(event) => prefer({ theme: event.target.value as Theme })}>
          {THEMES.map((each) => (
            <option key={each} value={each}>
              {words.themes[each]}
            </option>
          ))}
        </select>
      </label>
      <LanguageField
        label={words.language}
        language={language}
        change={(chosen) => prefer({ language: chosen })}
      />
      <a href="/graphql">{words.graphiql}</a>
      <SignOut />
    </div>
  );
}
