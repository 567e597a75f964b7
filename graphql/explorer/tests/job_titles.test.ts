import { expect, test } from "vitest";

import cases from "../../../tests/data/job_titles.json";
import { jobTitle } from "../src/lineage/job_titles";

test.each(cases as [string, string][])("%s is called %s", (name, title) => {
  expect(jobTitle(name)).toBe(title);
});
