// What the strokes and marks of the picture mean, and its keys; `?` opens it.
import { useEffect, useRef } from "react";

import { useWords } from "../words/words";

export function Legend() {
  const words = useWords();
  const { legend, shortcuts } = words.canvas;
  const panel = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const toggle = (event: KeyboardEvent) => {
      const typing = event.target instanceof HTMLElement && event.target.matches("input, select, textarea");
      if (event.key === "?" && !typing && panel.current) {
        panel.current.open = !panel.current.open;
      }
    };
    addEventListener("keydown", toggle);
    return () => removeEventListener("keydown", toggle);
  }, []);
  return (
    <details className="legend" ref={panel}>
      <summary>{legend.title}</summary>
      <div className="legend-text">
        <ul>
          <li className="stroke value">{legend.value}</li>
          <li className="stroke influence">{legend.influence}</li>
          <li className="stroke pruned">{legend.pruned}</li>
          <li>
            <span className="gap-mark">?</span>
            {legend.gap}
          </li>
          <li>
            <span className="sample start" />
            {legend.start}
          </li>
          <li>
            <span className="sample job" />
            {words.job}
          </li>
          <li>
            <span className="sample group" />
            {legend.group}
          </li>
          <li>
            <span className="sample plus">+</span>
            {legend.expand}
          </li>
        </ul>
        <h3>{words.canvas.keys}</h3>
        <dl>
          {Object.entries(shortcuts).map(([keys, meaning]) => (
            <div key={keys}>
              <dt>
                <kbd>{keys}</kbd>
              </dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
      </div>
    </details>
  );
}
