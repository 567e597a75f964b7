// The picture by keyboard: up and down among the rows of a card, left and right along lines to the cards beside it.
import { useReactFlow } from "@xyflow/react";
import { type KeyboardEvent, useCallback } from "react";

import type { Places } from "../layout/elk_graph";
import type { Picture } from "../picture/model";
import { type Place, placeBeside } from "../picture/neighbours";
import type { CardActions } from "./cards";

/** How many frames a card may take to appear. */
const FRAMES = 20;

/** The handler of keys pressed on a card's head or row. */
export function useKeyboard(picture: Picture, places: Places, actions: CardActions) {
  const { getViewport, setCenter } = useReactFlow();
  return useCallback(
    (event: KeyboardEvent<HTMLElement>) => {
      const at = placeOf(event.target);
      const card = at && picture.cards[at.card];
      if (!at || !card || event.altKey || event.ctrlKey || event.metaKey) {
        return;
      }
      const row = card.rows[at.row];
      const focus = (place: Place | null) => {
        const there = place && picture.cards[place.card];
        const box = there && places.get(there.id);
        if (place && box && place.row >= -1 && place.row < there.rows.length + (there.left ? 1 : 0)) {
          const { zoom } = getViewport();
          show(place, () => setCenter(box.x + box.width / 2, box.y + box.height / 2, { zoom }));
        }
      };
      const fold = (open: boolean) => row?.nested && row.open !== open;
      const keys: Record<string, () => void> = {
        ArrowDown: () => focus({ card: at.card, row: at.row + 1 }),
        ArrowUp: () => focus({ card: at.card, row: at.row - 1 }),
        ArrowRight: () =>
          fold(true) && row ? actions.toggle(row) : focus(placeBeside(picture, at, "after")),
        ArrowLeft: () =>
          fold(false) && row ? actions.toggle(row) : focus(placeBeside(picture, at, "before")),
        "+": () => card.after && card.after !== "end" && actions.expand(card, "FORWARD", 1),
        "-": () => card.before && card.before !== "end" && actions.expand(card, "BACKWARD", 1),
        a: () => card.kind === "dataset" && actions.showWhole(card.id),
      };
      const action = keys[event.key];
      if (action) {
        event.preventDefault();
        action();
      }
    },
    [picture, places, actions, getViewport, setCenter],
  );
}

function placeOf(target: EventTarget): Place | null {
  const [card, row] = (target instanceof HTMLElement ? (target.dataset.at ?? "") : "").split(":");
  return card && row ? { card: Number(card), row: row === "head" ? -1 : Number(row) } : null;
}

/** Moves the focus to a place; one out of sight is brought into view first. */
function show({ card, row }: Place, bring: () => void): void {
  const find = () => document.querySelector<HTMLElement>(`[data-at="${card}:${row < 0 ? "head" : row}"]`);
  const found = find();
  const box = found?.getBoundingClientRect();
  const stage = document.querySelector(".canvas")?.getBoundingClientRect();
  const seen =
    box &&
    stage &&
    box.left >= stage.left &&
    box.right <= stage.right &&
    box.top >= stage.top &&
    box.bottom <= stage.bottom;
  if (!seen) {
    bring();
    // Of large pictures, cards become elements when they are in view.
    const focus = (frames: number) => {
      const there = find();
      if (there || frames === 0) {
        there?.focus({ preventScroll: true });
      } else {
        requestAnimationFrame(() => focus(frames - 1));
      }
    };
    requestAnimationFrame(() => requestAnimationFrame(() => focus(FRAMES)));
  } else {
    found?.focus({ preventScroll: true });
  }
}
