// One box that finds datasets, paths, jobs, owners and tags: a combobox with the best hits, by keyboard first.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";

import { jobTitle } from "../lineage/job_titles";
import { type Address, START, useAddress } from "../page/address";
import type { ServerError } from "../server/client";
import { useWords } from "../words/words";
import { forgetPicks, type Pick, picks, remember } from "./picks";
import type { Hit } from "./rank";
import { find } from "./search";

const PAUSE = 150;

export function Find() {
  const words = useWords();
  const [, go] = useAddress();
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const [recent, setRecent] = useState(picks);
  const asked = useSettled(text.trim());
  const { data, error, isFetching } = useQuery({
    queryKey: ["find", asked],
    queryFn: ({ signal }) => find(asked, signal),
    enabled: asked !== "",
    placeholderData: keepPreviousData,
  });
  const searching = isFetching || asked !== text.trim();
  const options: readonly (Hit | Pick)[] = text.trim() ? (data?.hits ?? []) : recent;
  const chosen = Math.min(active, options.length - 1);
  useSlash(input);

  const close = () => {
    setOpen(false);
    setActive(0);
  };
  const choose = (option: Hit | Pick | undefined) => {
    if (option) {
      remember(option);
      setRecent(picks());
      setText("");
      close();
      go(placeOf(option));
      document.getElementById("main")?.focus();
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const moves: Record<string, number> = { ArrowDown: chosen + 1, ArrowUp: chosen - 1 };
    const move = moves[event.key];
    if (move !== undefined) {
      event.preventDefault();
      setOpen(true);
      setActive(open ? (move + options.length) % Math.max(1, options.length) : 0);
    } else if (event.key === "Enter" && open && !searching) {
      event.preventDefault();
      choose(options[chosen]);
    } else if (event.key === "Escape") {
      event.preventDefault();
      setText("");
      close();
    }
  };
  return (
    <search
      className="find"
      onBlur={(event) => !event.currentTarget.contains(event.relatedTarget) && close()}
    >
      <input
        ref={input}
        type="text"
        role="combobox"
        autoComplete="off"
        spellCheck={false}
        aria-label={words.find.label}
        aria-expanded={open && options.length > 0}
        aria-controls={`${id}list`}
        aria-autocomplete="list"
        aria-activedescendant={open && options.length > 0 ? `${id}option${chosen}` : undefined}
        aria-keyshortcuts="/"
        placeholder={words.find.placeholder}
        value={text}
        onFocus={() => setOpen(true)}
        onClick={() => setOpen(true)}
        onChange={(event) => {
          setText(event.target.value);
          setActive(0);
          setOpen(true);
        }}
        onKeyDown={onKeyDown}
      />
      {open && (text.trim() || recent.length > 0) && (
        <div className="find-popup">
          <Status text={text.trim()} searching={searching} error={error as ServerError | null} found={data} />
          <div
            role="listbox"
            id={`${id}list`}
            aria-label={text.trim() ? words.find.results : words.find.recent}
          >
            {options.map((option, index) => (
              <Option
                key={JSON.stringify([option.kind, option.namespace, option.name, option.path])}
                id={`${id}option${index}`}
                option={option}
                active={index === chosen}
                onChoose={() => choose(option)}
              />
            ))}
          </div>
          {!text.trim() && (
            <button
              type="button"
              className="quiet"
              onClick={() => {
                forgetPicks();
                setRecent([]);
                input.current?.focus();
              }}
            >
              {words.find.clear}
            </button>
          )}
        </div>
      )}
    </search>
  );
}

interface StatusProps {
  readonly text: string;
  readonly searching: boolean;
  readonly error: ServerError | null;
  readonly found: Awaited<ReturnType<typeof find>> | undefined;
}

function Status({ text, searching, error, found }: StatusProps) {
  const words = useWords();
  if (!text) {
    return <p className="find-status">{words.find.recent}</p>;
  }
  if (error && !searching) {
    return (
      <p className="find-status error" role="alert">
        {words.server.error(error.message, error.code)} {words.server.error(error.hint)}
      </p>
    );
  }
  const count = found?.hits.length ?? 0;
  return (
    <output className="find-status">
      {searching
        ? words.find.searching
        : count === 0
          ? words.find.nothing(text)
          : `${words.find.count(count)}. ${found?.more ? words.find.more : ""}`}
    </output>
  );
}

interface OptionProps {
  readonly id: string;
  readonly option: Hit | Pick;
  readonly active: boolean;
  readonly onChoose: () => void;
}

/** One hit. The box keeps the focus: it says by `aria-activedescendant` which one the keys have reached. */
function Option({ id, option, active, onChoose }: OptionProps) {
  const words = useWords();
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (active) {
      element.current?.scrollIntoView({ block: "nearest" });
    }
  }, [active]);
  return (
    <div
      ref={element}
      role="option"
      id={id}
      tabIndex={-1}
      aria-selected={active}
      className="find-option"
      onMouseDown={(event) => event.preventDefault()}
      onClick={onChoose}
      onKeyDown={(event) => event.key === "Enter" && onChoose()}
    >
      <span className={`find-kind ${option.kind}`}>{words.find.kinds[option.kind]}</span>
      <span className="find-name">{option.kind === "JOB" ? jobTitle(option.label) : option.label}</span>
      <span className="find-where">
        {option.namespace}
        {option.kind === "PATH" && ` · ${option.name}`}
      </span>
      {"matches" in option && <span className="find-why">{reasons(option, words)}</span>}
    </div>
  );
}

function reasons(hit: Hit, words: ReturnType<typeof useWords>): string {
  const matched = hit.matches
    .filter(({ by }) => by === "TAG" || by === "OWNER")
    .map(({ by, text }) => words.find.matched(words.find.by[by], text));
  return [...(hit.similar ? [words.find.similar(hit.similar)] : []), ...matched].join(" · ");
}

/** Where a hit leads: a dataset or path to its lineage, a job to its runs. */
function placeOf({ kind, namespace, name, path }: Pick): Partial<Address> {
  if (kind === "JOB") {
    return { view: "runs", job: { namespace, name } };
  }
  const { asOf, since, holder, expanded, open } = START;
  return { view: "picture", dataset: { namespace, name }, path, asOf, since, holder, expanded, open };
}

/** The text when typing has paused. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

/** The slash leads to the box from anywhere on the page, except where text is typed. */
function useSlash(input: { readonly current: HTMLInputElement | null }): void {
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      const typing = event.target instanceof Element && event.target.closest("input, textarea, select");
      if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        input.current?.focus();
      }
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [input]);
}
