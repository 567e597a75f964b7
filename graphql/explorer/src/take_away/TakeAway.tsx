// The menu that takes the shown picture away: as files, as text, as a link.
import { useQueryClient } from "@tanstack/react-query";
import { type KeyboardEvent, useRef, useState } from "react";
import { fileName, momentOf, titlesOf } from "../drawing/frame";
import type { Drawing, Frame, Question } from "../drawing/model";
import { DARK, LIGHT } from "../drawing/palette";
import { useAddress } from "../page/address";
import { useShade } from "../state/preferences";
import { useWords } from "../words/words";
import { FORMATS, type Format, fileOf, save } from "./files";
import { type Asked, curlText, ofPictures, queryText } from "./query";

export function TakeAway({ drawing, notes }: { drawing: Drawing; notes: readonly string[] }) {
  const words = useWords().drawing;
  const [{ dataset, path, level, way, depth, asOf }] = useAddress();
  const queries = useQueryClient();
  const shade = useShade();
  const menu = useRef<HTMLDetailsElement>(null);
  const [notice, setNotice] = useState("");
  const question: Question = { node: dataset && { ...dataset, path }, level, way, depth, asOf };
  const asked = () =>
    ofPictures(
      queries
        .getQueryCache()
        .findAll({ type: "active" })
        .map(({ queryKey: [operation, variables] }) => ({ operation, variables }) as Asked),
    );
  const download = (format: Format) => {
    const frame: Frame = {
      ...titlesOf(question, words),
      notes,
      moment: momentOf(asOf),
      address: location.href,
      palette: shade === "dark" ? DARK : LIGHT,
      words,
    };
    const name = fileName(question, format);
    fileOf(format, drawing, frame)
      .then((content) => save(content, name))
      .then(() => setNotice(words.saved(name)))
      .catch((error: Error) => setNotice(words.failed(error.message)));
  };
  const copy = (text: string, name: string) => {
    copied(text)
      .then(() => setNotice(words.copied))
      .catch(() => {
        save(new Blob([text], { type: "text/plain;charset=utf-8" }), name);
        setNotice(words.saved(name));
      });
  };
  const close = (event: KeyboardEvent) => {
    if (event.key === "Escape" && menu.current?.open) {
      event.stopPropagation();
      menu.current.open = false;
      menu.current.querySelector("summary")?.focus();
    }
  };
  return (
    <details ref={menu} className="take-away nopan nowheel" onKeyDown={close}>
      <summary>{words.takeAway}</summary>
      <div className="menu">
        <fieldset>
          <legend>{words.download}</legend>
          {FORMATS.map((format) => (
            <button type="button" key={format} onClick={() => download(format)}>
              {words.formats[format]}
            </button>
          ))}
        </fieldset>
        <fieldset>
          <legend>{words.copy}</legend>
          <button type="button" onClick={() => copy(location.href, fileName(question, "txt"))}>
            {words.link}
          </button>
          <button type="button" onClick={() => copy(queryText(asked()), fileName(question, "graphql"))}>
            {words.query}
          </button>
          <button
            type="button"
            onClick={() => copy(curlText(asked(), location.origin), fileName(question, "sh"))}
          >
            {words.curl}
          </button>
        </fieldset>
        <output>{notice}</output>
      </div>
    </details>
  );
}

/** Browsers have a clipboard for pages over TLS and from this machine only. */
async function copied(text: string): Promise<void> {
  if (!navigator.clipboard) {
    throw new Error("no clipboard");
  }
  await navigator.clipboard.writeText(text);
}
