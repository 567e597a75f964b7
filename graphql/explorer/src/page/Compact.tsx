// What a wide page shows at once, and a phone behind a button that says what is chosen there.
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from "react";

import { useNarrow } from "../state/useMedia";

interface Props {
  /** What is behind the button, for those who do not see where it is. */
  readonly label: string;
  /** What the button says. */
  readonly chosen: string;
  /** It closes when this changes. */
  readonly until?: string;
  readonly children: ReactNode;
}

export function Compact(props: Props) {
  return useNarrow() ? <Disclosure {...props} /> : props.children;
}

function Disclosure({ label, chosen, until, children }: Props) {
  const whole = useRef<HTMLDetailsElement>(null);
  const close = () => {
    if (whole.current?.open) {
      whole.current.open = false;
      whole.current.querySelector("summary")?.focus();
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape" && whole.current?.open) {
      event.stopPropagation();
      close();
    }
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever something else is chosen
  useEffect(close, [until]);
  useEffect(() => {
    const onPointer = ({ target }: PointerEvent) => {
      if (whole.current && target instanceof Node && !whole.current.contains(target)) {
        whole.current.open = false;
      }
    };
    addEventListener("pointerdown", onPointer);
    return () => removeEventListener("pointerdown", onPointer);
  }, []);
  return (
    <details ref={whole} className="compact" onKeyDown={onKeyDown}>
      <summary>
        <span className="unseen">{label}: </span>
        <span className="chosen">{chosen}</span>
      </summary>
      <div className="compact-panel">{children}</div>
    </details>
  );
}
