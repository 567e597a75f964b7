// The button that saves the table of the matrix, as it is shown, as a PDF.
import { useState } from "react";

import { useAddress } from "../page/address";
import { pagesAsPdf, save } from "../take_away/files";
import { useMomentText } from "../time/localised";
import { useWords } from "../words/words";
import { type Cell, type Column, columnTitle, isEmpty, type Row } from "./cells";
import { drawnPages } from "./drawn";
import { onlyText } from "./MatrixFilters";
import type { MatrixPages } from "./useMatrix";

interface Props {
  readonly rows: readonly Row[];
  readonly columns: readonly Column[];
  readonly whole: MatrixPages[0];
  /** Whether all cells are there. */
  readonly arrived: boolean;
}

export function MatrixFile({ rows, columns, whole, arrived }: Props) {
  const words = useWords();
  const { privacy } = words;
  const momentText = useMomentText();
  const [address] = useAddress();
  const [working, setWorking] = useState(false);
  const { matrix } = privacy;
  const notes = [
    [matrix.asOf(momentText(whole.asOf)), ...onlyText(address.only, words)].join(" · "),
    privacy.known(
      whole.classification.attributes,
      whole.classification.classifiedDatasets,
      whole.classification.datasets,
    ),
    ...(whole.complete && arrived ? [] : [privacy.incomplete(whole.incomplete.length)]),
  ];
  const cellText = ({ form, declared }: Cell) =>
    declared ? `${privacy.forms[form]}, ${privacy.declared}` : privacy.forms[form];
  const download = async () => {
    setWorking(true);
    const pages = drawnPages(rows, columns, {
      title: matrix.title,
      notes,
      rowTitle: matrix.row[address.rows],
      notStated: matrix.notStated,
      columnTitle: (column) => columnTitle(column, words),
      cellText,
      emptyText: (row, column) => (arrived && isEmpty(row, column) ? "" : "?"),
      pageOf: matrix.pageOf,
    });
    try {
      save(await pagesAsPdf(pages), `headwater-matrix-${whole.asOf.slice(0, 19).replace(/[:T]/g, "-")}.pdf`);
    } finally {
      setWorking(false);
    }
  };
  return (
    <button type="button" disabled={working} onClick={download}>
      {working ? privacy.report.working : matrix.asPdf}
    </button>
  );
}
