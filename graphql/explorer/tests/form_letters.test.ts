import { expect, test } from "vitest";

import { FORMS } from "../src/privacy/forms";
import { PRIVACY as DE } from "../src/words/de/privacy";
import { PRIVACY as EN } from "../src/words/en/privacy";

test.each([
  ["English", EN],
  ["German", DE],
])("the letters of forms are of the words beside them, and tell them apart, %s", (_name, words) => {
  const letters = FORMS.map((form) => words.letters[form]);
  expect(new Set(letters.map((each) => each.toLowerCase())).size).toBe(FORMS.length);
  const strange = FORMS.filter(
    (form) =>
      form !== "POSSIBLE" && !words.forms[form].toLowerCase().includes(words.letters[form].toLowerCase()),
  );
  expect(strange).toEqual([]);
});
