import type { Checked } from "../assertions/check-assertion.ts";
import type { CellFacts } from "./cell-facts.ts";

/** A cell passes if all its assertions hold; one without assertions, if the investigation completed. */
export function hasPassed({ status }: CellFacts, checks: readonly Checked[]): boolean {
  return checks.length === 0 ? status === "completed" : checks.every(({ passed }) => passed);
}
