// A job that is split along a boundary of regions: a drawing, and the reasons of its statements and of what crosses.
import { useId } from "react";

import { useWords } from "../words/words";
import { drawnOf, type Split, type Statement, WIDTH } from "./split_lanes";

export function JobSplit({ split: { statements, leastGroup } }: { readonly split: Split }) {
  const words = useWords();
  const { split } = words.program;
  return (
    <details className="job-split" open>
      <summary>{split.title}</summary>
      <p className="quiet">{leastGroup > 1 ? split.leastGroup(leastGroup) : split.noLeastGroup}</p>
      <Drawing statements={statements} />
      <table>
        <thead>
          <tr>
            <th scope="col">{split.statement}</th>
            <th scope="col">{split.where}</th>
            <th scope="col">{split.because}</th>
          </tr>
        </thead>
        <tbody>
          {statements.map((each) => (
            <tr key={each.key}>
              <td>
                {each.label} <span className="quiet">{each.line}</span>
              </td>
              <td>{each.back ? split.back : split.sides[each.side as keyof typeof split.sides]}</td>
              <td>
                <Because statement={each} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

function Because({ statement: { why, columns } }: { readonly statement: Statement }) {
  const { server } = useWords();
  return (
    <>
      {why.map((each) => (
        <p key={each}>{server.placement(each)}</p>
      ))}
      {columns.map((column) => (
        <p key={column.name}>
          <code>{column.name}</code> <span className="quiet">{column.type}</span>{" "}
          {server.placement(column.why)}
        </p>
      ))}
    </>
  );
}

function Drawing({ statements }: { readonly statements: readonly Statement[] }) {
  const { split } = useWords().program;
  const head = useId();
  const { height, lanes, boxes, lines } = drawnOf(statements);
  return (
    <svg viewBox={`0 0 ${WIDTH} ${height}`} role="img" aria-label={split.title}>
      <defs>
        <marker id={head} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
          <path className="head" d="M0 0l8 4l-8 4z" />
        </marker>
      </defs>
      {lanes.map(({ lane, x, width }) => (
        <g key={lane} className={lane}>
          <rect className="lane" x={x} width={width} height={height} />
          <text className="lane" x={x + width / 2} y="20">
            {split.sides[lane]}
          </text>
        </g>
      ))}
      {lines.map((line) => (
        <path key={line} className="line" d={line} markerEnd={`url(#${head})`} />
      ))}
      {boxes.map(({ statement, label, ...place }) => (
        <g key={statement.key} className={statement.side}>
          <title>{statement.label}</title>
          <rect {...place} rx="5" />
          <text x={place.x + place.width / 2} y={place.y + 18}>
            {label}
          </text>
        </g>
      ))}
    </svg>
  );
}
