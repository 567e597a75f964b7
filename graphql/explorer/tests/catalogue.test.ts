import { expect, test } from "vitest";

import { catalogueOf } from "../src/words/catalogue";
import { TEXTS } from "../src/words/generated";

const de = catalogueOf("de");

test("a detail of the server is in German, with what is in it", () => {
  expect(de.detail("its name has 'mail'")).toBe("im Namen steht 'mail'");
  expect(de.detail("the rule in line 3 fits no known path in 'a': 'b'; did you mean 'c'?")).toBe(
    "die Regel in Zeile 3 passt auf keinen bekannten Pfad in 'a': 'b'; vielleicht 'c'?",
  );
  expect(de.detail("what another producer wrote")).toBe("what another producer wrote");
  expect(catalogueOf("en").detail("its name has 'mail'")).toBe("its name has 'mail'");
});

test("every detail that is there in English is in German", () => {
  const left = Object.entries(TEXTS.en.details).filter(
    ([key, text]) =>
      /[a-z]{3}/.test(text.replace(/{\w+}/g, "")) && de.detail(filled(text)) === filled(text) && key,
  );
  expect(left).toEqual([]);
});

test("an error of the server is in German, with what is in it", () => {
  expect(de.error("no dataset 'a' exists in namespace 'b'")).toBe(
    "im Namensraum 'b' gibt es keinen Datenbestand 'a'",
  );
  expect(de.error("did you mean 'b a' or 'b c'?")).toBe("vielleicht 'b a' oder 'b c'?");
  expect(de.error("you may not send events")).toBe("Sie dürfen das nicht: Ereignisse senden");
  expect(de.error("Field required", "MISSING")).toBe("dieses Feld fehlt");
  expect(de.error("something else", "BAD_QUESTION")).toBe(
    "die Frage lässt sich so nicht beantworten: something else",
  );
  expect(de.error("/job/name: Field required", "MISSING")).toBe("/job/name: dieses Feld fehlt");
  expect(de.error("the event: it is odd", "INVALID")).toBe("ein Wert ist nicht, wie er sein soll: it is odd");
  expect(de.error("something else", "OTHER")).toBe("something else");
  expect(catalogueOf("en").error("something else", "BAD_QUESTION")).toBe("something else");
  expect(de.code("MISSING")).toBe("etwas fehlt");
});

test("every error that is there in English is in German", () => {
  const left = Object.values(TEXTS.en.errors).filter((text) => de.error(filled(text)) === filled(text));
  expect(left).toEqual([]);
});

test("keys of categories and subjects are shown by their names, and others as they are", () => {
  expect(de.category("user.contact.email")).not.toContain("user.");
  expect(de.category("own.category")).toBe("own.category");
  expect(de.subject("customer")).toBe("Kunden");
});

function filled(template: string): string {
  return template.replace(/{(\w+)}/g, "x");
}
