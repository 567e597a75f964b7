// The page of `headwater records serve`: which records made a value, what became of records, and whose they are.
import "./records.css";

import { useLayoutEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { LanguageField } from "../page/LanguageField";
import { LanguageContext, languageOf, PAGES } from "./language";
import { Question } from "./Question";

function Page() {
  const [language, setLanguage] = useState(() => languageOf(location.search, navigator.languages));
  useLayoutEffect(() => {
    document.documentElement.lang = language;
    document.title = PAGES[language].title;
  }, [language]);
  return (
    <LanguageContext value={language}>
      <LanguageField label={PAGES[language].language} language={language} change={setLanguage} />
      <Question />
    </LanguageContext>
  );
}

const root = document.getElementById("records");
if (root) {
  createRoot(root).render(<Page />);
}
