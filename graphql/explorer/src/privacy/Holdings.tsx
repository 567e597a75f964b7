// The paths behind a cell of the matrix, or all that hold an attribute, each with its way.
import { useInfiniteQuery } from "@tanstack/react-query";

import { useEffect, useRef } from "react";
import { grouped } from "../lineage/grouped";
import { nodeKey, type PathRef } from "../lineage/names";
import { START, useAddress } from "../page/address";
import { Categories } from "../page/Categories";
import { Problem } from "../page/Problem";
import { type Answer, ask, type ServerError, type Variables } from "../server/client";
import { useAnswer } from "../server/useAnswer";
import { useWords } from "../words/words";
import { FormWord } from "./FormMark";
import { Known } from "./Known";
import { nameOf, placeName, Witness } from "./Witness";
import { type Holding, wayOn, wayTo } from "./ways";

export function Holdings() {
  const words = useWords();
  const [{ holder, attribute, category, asOf, influenced }, go] = useAddress();
  const { data, error, isLoading, hasNextPage, fetchNextPage, isFetchingNextPage } = useHoldings({
    of: attribute,
    at: holder,
    category,
    asOf,
    influenced,
  });
  const whole = data?.pages[0]?.holdings;
  const items = data?.pages.flatMap((page) => page.holdings.edges.map(({ node }) => node)) ?? [];
  const what = attribute
    ? placeName(attribute)
    : category
      ? words.server.category(category)
      : words.privacy.show;
  const { holdings } = words.privacy;
  const heading = useRef<HTMLHeadingElement>(null);
  const question = JSON.stringify([holder, attribute, category]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever something else is opened
  useEffect(() => heading.current?.focus(), [question]);
  const close = () => {
    go({ holder: START.holder, attribute: START.attribute, category: START.category });
    document.querySelector<HTMLElement>('.matrix [tabindex="0"]')?.focus();
  };
  return (
    <aside className="details holdings" aria-label={holdings.title}>
      <button type="button" className="close" aria-label={words.close} onClick={close}>
        ×
      </button>
      <h2 ref={heading} tabIndex={-1}>
        {holder ? holdings.at(what, placeName(holder)) : holdings.of(what)}
      </h2>
      {isLoading && <output>{words.loading}</output>}
      {error && <Problem error={error} />}
      {holder && <Declared at={holder} category={category} attribute={attribute} />}
      {whole && (
        <>
          {whole.classification.attributes > 0 && (
            <p>
              {whole.totalCount > 0
                ? holdings.count(whole.totalCount)
                : holder
                  ? holdings.noneThere
                  : holdings.none}{" "}
              {whole.totalCount === 0 && !whole.complete && holdings.doubtful}
            </p>
          )}
          {attribute && holder && (
            <button type="button" onClick={() => go({ holder: null })}>
              {words.privacy.matrix.everything}
            </button>
          )}
          {attribute && (
            <button type="button" onClick={() => go(wayOn(attribute))}>
              {holdings.inPicture}
            </button>
          )}
          <ul className="holders">
            {items.map((holding) => (
              <Holder
                key={JSON.stringify([holding.attribute.node, holding.output.node])}
                holding={holding}
                named={attribute === null}
              />
            ))}
          </ul>
          {hasNextPage && (
            <button type="button" disabled={isFetchingNextPage} onClick={() => fetchNextPage()}>
              {isFetchingNextPage ? words.loading : holdings.more}
            </button>
          )}
          <Known {...whole} />
        </>
      )}
    </aside>
  );
}

function useHoldings(variables: Variables<"Holdings">) {
  return useInfiniteQuery<
    Answer<"Holdings">,
    ServerError,
    { readonly pages: readonly Answer<"Holdings">[] },
    readonly unknown[],
    string | null
  >({
    queryKey: ["Holdings", "pages", variables],
    initialPageParam: null,
    queryFn: ({ pageParam, signal }) => ask("Holdings", { ...variables, after: pageParam }, signal),
    getNextPageParam: ({ holdings: { pageInfo } }) => (pageInfo.hasNextPage ? pageInfo.endCursor : null),
  });
}

/** One place that holds an attribute; `named` says which attribute. */
function Holder({ holding, named }: { holding: Holding; named: boolean }) {
  const { privacy } = useWords();
  const [, go] = useAddress();
  const { attribute, output } = holding;
  const others = output.forms.filter((form) => form !== output.form).map((form) => privacy.forms[form]);
  return (
    <li>
      <p>
        <FormWord form={output.form} /> <strong>{nameOf(output.node)}</strong>{" "}
        {others.length > 0 && <span className="quiet">{privacy.holdings.alsoAs(others.join(", "))}</span>}
      </p>
      {named && (
        <p className="quiet">
          {privacy.holdings.from} {nameOf(attribute.node)} · <Categories keys={attribute.categories} />
        </p>
      )}
      <details>
        <summary>{privacy.holdings.way(output.witness.length)}</summary>
        <Witness steps={output.witness} />
      </details>
      <button type="button" className="link" onClick={() => go(wayTo(holding))}>
        {privacy.holdings.show}
      </button>
    </li>
  );
}

type PathClass = Answer<"Classes">["classes"]["edges"][number]["node"];

interface DeclaredProps {
  readonly at: PathRef;
  readonly category: string | null;
  readonly attribute: PathRef | null;
}

/** The paths of the place that are themselves classified in the category, or are the attribute. */
function Declared({ at, category, attribute }: DeclaredProps) {
  const { privacy, server } = useWords();
  const [{ asOf }, go] = useAddress();
  const { namespace, name, path } = at;
  const { data } = useAnswer("Classes", { node: { namespace, name, path }, asOf, first: 1000 });
  const declared = grouped(
    (data?.classes.edges ?? [])
      .map((edge) => edge.node)
      .filter(
        (each) => !each.overruled && isOf(each, category) && (!attribute || isAt(each.node, attribute)),
      ),
    (each) => nodeKey(each.node),
  );
  if (declared.size === 0) {
    return null;
  }
  return (
    <section>
      <h3>{privacy.holdings.declaredHere}</h3>
      <ul className="holders">
        {[...declared].map(([key, classes]) => {
          const { node } = classes[0] as PathClass;
          return (
            <li key={key}>
              <p>
                <FormWord form="IDENTITY" /> <strong>{node.label}</strong>{" "}
                <Categories keys={[...new Set(classes.flatMap((each) => each.categories))]} />
              </p>
              <p className="quiet">{classes.map((each) => server.detail(each.reason)).join(", ")}</p>
              <button
                type="button"
                className="link"
                onClick={() => go({ attribute: node, holder: null, category: null })}
              >
                {privacy.matrix.everything}
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function isOf({ categories }: PathClass, category: string | null): boolean {
  return categories.some((each) => category === null || each === category || each.startsWith(`${category}.`));
}

function isAt(one: PathRef, other: PathRef): boolean {
  return nodeKey(one) === nodeKey(other);
}

/** Leads from a path to everything that holds it. */
export function WhoHoldsIt({ node: { namespace, name, path } }: { node: PathRef }) {
  const { privacy } = useWords();
  const [, go] = useAddress();
  return (
    <button
      type="button"
      onClick={() =>
        go({ view: "matrix", attribute: { namespace, name, path }, holder: null, category: null })
      }
    >
      {privacy.holdings.who}
    </button>
  );
}
