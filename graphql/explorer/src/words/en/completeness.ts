// English words that say whether a picture is complete.
export const COMPLETENESS = {
  complete: "Complete: nothing of it is known to be missing.",
  noGaps: "No gaps as far as it is shown.",
  unknown: (count: number) => (count === 1 ? "1 not known." : `${count} not known.`),
  beyond: (datasets: number) =>
    datasets === 1 ? "It goes on beyond 1 dataset." : `It goes on beyond ${datasets} datasets.`,
  where: "Where something is not known",
  unsettled: "Parts of the answer had not arrived: what is missing is not known.",
};
