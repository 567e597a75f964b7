// A value that components follow with `useSyncExternalStore`.
import { useSyncExternalStore } from "react";

export interface Store<Value> {
  readonly get: () => Value;
  readonly set: (next: Value) => void;
  /** The value, for a component that is rendered again when it changes. */
  readonly use: () => Value;
}

export function storeOf<Value>(initial: Value): Store<Value> {
  let current = initial;
  const listeners = new Set<() => void>();
  const get = () => current;
  const watch = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    get,
    set: (next) => {
      current = next;
      for (const listener of listeners) {
        listener();
      }
    },
    use: () => useSyncExternalStore(watch, get),
  };
}
