// Where in the picture a privacy answer is seen.

import type { PathRef } from "../lineage/names";
import { type Address, START } from "../page/address";
import type { Answer } from "../server/client";

export type Holding = Answer<"Holdings">["holdings"]["edges"][number]["node"];
export type Step = Holding["output"]["witness"][number];
/** A step that may lack how values change. */
export type RouteStep = Omit<Step, "transformations"> & Partial<Pick<Step, "transformations">>;

const WHOLE_WAY = 50;

function picture(start: PathRef): Partial<Address> {
  const { namespace, name, path } = start;
  const { since, job, category, attribute, finding, place, expanded, open } = START;
  const anew = { since, job, category, attribute, finding, place, expanded, open };
  return { view: "picture", dataset: { namespace, name }, path, level: "PATH", exposure: true, ...anew };
}

/** The picture of the way from an attribute to a place that holds it, where that way is lit. */
export function wayTo({ attribute, output }: Holding): Partial<Address> {
  const { namespace, name, path } = output.node;
  const influences = output.form === "INFLUENCED";
  const depth = Math.max(1, output.witness.length, output.distance);
  return {
    ...picture(attribute.node),
    way: "FORWARD",
    depth,
    ...(influences && { influences }),
    holder: { namespace, name, path },
  };
}

/** The picture of everything that is made of an attribute. */
export function wayOn(attribute: PathRef): Partial<Address> {
  const { namespace, name, path } = attribute;
  return {
    ...picture(attribute),
    way: "FORWARD",
    depth: WHOLE_WAY,
    influences: false,
    holder: { namespace, name, path },
  };
}

/** The picture of where the data at a place come from. */
export function wayBack(place: PathRef): Partial<Address> {
  const { namespace, name, path } = place;
  return { ...picture(place), way: "BACKWARD", depth: WHOLE_WAY, holder: { namespace, name, path } };
}
