// The map: a band for each flow between countries, as high as it has crossings; one that is chosen filters the list.
import type { ReactNode } from "react";

import { useAddress } from "../../page/address";
import { useNarrow } from "../../state/useMedia";
import { useWords } from "../../words/words";
import { type Band, type Flow, flowKey, flowMap, outline, SIGNS, type Side } from "./flows";
import { useCountries } from "./useCountries";

const BAR = 10;

/** Where the bands begin and end; on a narrow page, countries are called by their codes. */
interface Extent {
  readonly width: number;
  readonly left: number;
  readonly right: number;
}

const WIDE: Extent = { width: 860, left: 230, right: 630 };
const NARROW: Extent = { width: 420, left: 90, right: 330 };

export function FlowMap({ flows }: { flows: readonly Flow[] }) {
  const { crossings } = useWords();
  const narrow = useNarrow();
  const map = flowMap(flows);
  const extent = narrow ? NARROW : WIDE;
  return (
    <figure className="flow-map">
      <svg viewBox={`0 0 ${extent.width} ${map.height}`}>
        <title>{crossings.map}</title>
        {map.bands.map((band) => (
          <BandShape key={flowKey(band.flow)} band={band} extent={extent} />
        ))}
        {map.origins.map((side) => (
          <SideName key={side.y} side={side} x={extent.left - BAR} anchor="end" short={narrow} />
        ))}
        {map.ends.map((side) => (
          <SideName key={side.y} side={side} x={extent.right} anchor="start" short={narrow} />
        ))}
      </svg>
    </figure>
  );
}

function BandShape({ band, extent }: { band: Band; extent: Extent }) {
  const { crossings } = useWords();
  const nameOf = useCountries();
  const [{ flow: chosen }, go] = useAddress();
  const { flow } = band;
  const key = flowKey(flow);
  const text = crossings.flow(
    nameOf(flow.origin),
    nameOf(flow.to ? [flow.to] : []),
    flow.count,
    crossings.verdicts[flow.verdict],
  );
  return (
    <Chosen
      label={text}
      pressed={chosen === key}
      faint={chosen !== null && chosen !== key}
      onChoose={() => go({ flow: chosen === key ? null : key })}
    >
      <path className={`band ${flow.verdict}`} d={outline(band, extent.left, extent.right)} />
      <text className="band-count" x={extent.width / 2} y={(band.from + band.to + band.height) / 2 + 5}>
        {SIGNS[flow.verdict]} {flow.count}
      </text>
    </Chosen>
  );
}

interface ChosenProps {
  readonly label: string;
  readonly pressed: boolean;
  readonly faint: boolean;
  readonly onChoose: () => void;
  readonly children: ReactNode;
}

/** A part of a drawing that works as a button does. */
function Chosen({ label, pressed, faint, onChoose, children }: ChosenProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a drawing has no buttons
    <g
      role="button"
      tabIndex={0}
      aria-label={label}
      aria-pressed={pressed}
      className={faint ? "faint" : undefined}
      onClick={onChoose}
      onKeyDown={(event) => {
        if (event.key === "Enter" || event.key === " ") {
          event.preventDefault();
          onChoose();
        }
      }}
    >
      <title>{label}</title>
      {children}
    </g>
  );
}

interface SideProps {
  readonly side: Side;
  readonly x: number;
  readonly anchor: "start" | "end";
  readonly short: boolean;
}

function SideName({ side, x, anchor, short }: SideProps) {
  const nameOf = useCountries();
  const name = nameOf(side.countries);
  const place = anchor === "end" ? x - 8 : x + BAR + 8;
  return (
    <g>
      <title>{name}</title>
      <rect className="side" x={x} y={side.y} width={BAR} height={side.height} />
      <text className="side-name" x={place} y={side.y + side.height / 2 + 5} textAnchor={anchor}>
        {short ? side.countries.join(", ") || "?" : name}
      </text>
    </g>
  );
}
