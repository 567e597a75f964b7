// The view of the matrix: which datasets hold which personal data, in which form; a cell opens what is behind it.
import { type ReactNode, useMemo, useState } from "react";

import { type Address, START, useAddress } from "../page/address";
import { Problem } from "../page/Problem";
import { Holdings } from "../privacy/Holdings";
import { Known } from "../privacy/Known";
import { ReportMenu } from "../privacy/report/ReportMenu";
import { useMomentText } from "../time/localised";
import { PastMoment } from "../time/TimeBar";
import { useWords } from "../words/words";
import { arranged, type Column, matrixOf, type Order, type Row } from "./cells";
import { MatrixFile } from "./MatrixFile";
import { MatrixFilters } from "./MatrixFilters";
import { MatrixTable } from "./MatrixTable";
import { useMatrix } from "./useMatrix";

export function MatrixView() {
  const words = useWords();
  const momentText = useMomentText();
  const [address, go] = useAddress();
  const { pages, error, arriving } = useMatrix(address);
  const [text, setText] = useState("");
  const [order, setOrder] = useState<Order>({ column: null, descending: false });
  const matrix = useMemo(() => matrixOf(pages ?? []), [pages]);
  const rows = useMemo(() => arranged(matrix.rows, text, order), [matrix, text, order]);
  const whole = pages?.[0];
  const listed = pages?.reduce((count, page) => count + page.edges.length, 0) ?? 0;
  const arrived = listed === whole?.totalCount;
  const open = (row: Row, column: Column) => {
    if (row.name === null) {
      setText(row.namespace);
      setOrder({ column: column.key, descending: false });
    }
    go(opened(row, column));
  };
  const { privacy } = words;
  return (
    <div className="privacy-view matrix-view">
      <div className="privacy-head">
        <h1>{privacy.matrix.title}</h1>
        <PastMoment />
        <Choices text={text} onFilter={setText}>
          {whole && rows.length > 0 && (
            <MatrixFile rows={rows} columns={matrix.columns} whole={whole} arrived={arrived} />
          )}
        </Choices>
        {whole && <Known {...whole} />}
        {whole && whole.totalCount > 0 && (
          <p className="quiet">
            {privacy.matrix.asOf(momentText(whole.asOf))} · {privacy.matrix.cells(rows.length, listed)} ·{" "}
            {privacy.matrix.keys}{" "}
            {!arriving && listed < whole.totalCount && privacy.matrix.cut(listed, whole.totalCount)}
          </p>
        )}
        {!whole && arriving && <output>{words.loading}</output>}
        {whole && arriving && listed < whole.totalCount && (
          <p className="arriving">
            <progress value={listed} max={whole.totalCount} aria-label={words.loading} />{" "}
            {privacy.matrix.arriving(listed, whole.totalCount)}
          </p>
        )}
        {error && <Problem error={error} />}
        {whole && whole.classification.attributes > 0 && whole.totalCount === 0 && (
          <p>{privacy.matrix.none}</p>
        )}
        {whole && whole.totalCount > 0 && rows.length === 0 && <p>{privacy.matrix.noRows}</p>}
      </div>
      {whole && rows.length > 0 && (
        <MatrixTable
          rows={rows}
          columns={matrix.columns}
          order={order}
          arrived={arrived}
          onSort={setOrder}
          onOpen={open}
        />
      )}
      {(address.holder || address.attribute || address.category) && <Holdings />}
    </div>
  );
}

/** A cell of a dataset opens what is behind it; one of a namespace leads to the datasets. */
function opened({ namespace, name }: Row, { category, attribute }: Column): Partial<Address> {
  if (name === null) {
    return { rows: "dataset", holder: null, category, attribute };
  }
  return { holder: { namespace, name, path: [] }, category, attribute };
}

interface ChoicesProps {
  readonly text: string;
  readonly onFilter: (text: string) => void;
  readonly children: ReactNode;
}

function Choices({ text, onFilter, children }: ChoicesProps) {
  const {
    privacy: { matrix },
  } = useWords();
  const [{ columns, rows, influenced }, go] = useAddress();
  const { holder, category, attribute } = START;
  return (
    <div className="choices">
      <label>
        {matrix.rows}
        <select
          value={rows}
          onChange={(event) =>
            go({ rows: event.target.value as Address["rows"], holder, category, attribute })
          }
        >
          {(Object.keys(matrix.ofRows) as Address["rows"][]).map((each) => (
            <option key={each} value={each}>
              {matrix.ofRows[each]}
            </option>
          ))}
        </select>
      </label>
      <label>
        {matrix.columns}
        <select
          value={columns}
          onChange={(event) =>
            go({ columns: event.target.value as Address["columns"], holder, category, attribute })
          }
        >
          {(Object.keys(matrix.ofColumns) as Address["columns"][]).map((each) => (
            <option key={each} value={each}>
              {matrix.ofColumns[each]}
            </option>
          ))}
        </select>
      </label>
      <label>
        <input
          type="checkbox"
          checked={influenced}
          onChange={(event) => go({ influenced: event.target.checked })}
        />
        {matrix.influenced}
      </label>
      <label>
        {matrix.filter}
        <input type="search" value={text} onChange={(event) => onFilter(event.target.value)} />
      </label>
      <MatrixFilters />
      {children}
      <ReportMenu kinds={["EXPOSURE", "REVIEW"]} />
    </div>
  );
}
