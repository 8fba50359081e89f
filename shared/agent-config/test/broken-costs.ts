import type { BrokenFile } from "./broken-file.ts";

const RATES = "input_per_million: 1, output_per_million: 2";
const cost = (name: string, body: string, path: string, says: string): BrokenFile => ({
  name,
  tarsy: `system:\n  cost_estimation:\n    ${body}\n`,
  errors: [[path === "" ? "system.cost_estimation" : `system.cost_estimation.${path}`, says]],
});
const promotions = (...entries: readonly string[]) =>
  `promotions:\n${entries.map((entry) => `      - {${entry}}`).join("\n")}`;

/** Cost estimation with one mistake each. */
export const BROKEN_COSTS: readonly BrokenFile[] = [
  cost("cost estimation that is neither on nor off", "enabled: §perhaps", "enabled", "true or false"),
  cost(
    "a rate as text",
    'model_rates: {m: {input_per_million: §"1", output_per_million: 2}}',
    "model_rates.m.input_per_million",
    "must be a number",
  ),
  cost(
    "a negative rate",
    "model_rates: {m: {input_per_million: §-1, output_per_million: 2}}",
    "model_rates.m.input_per_million",
    "must be a number from 0 to 1000000",
  ),
  cost(
    "a rate with too many decimals",
    "model_rates: {m: {input_per_million: 1, output_per_million: §0.1234567}}",
    "model_rates.m.output_per_million",
    "at most six decimals",
  ),
  cost(
    "rates without one for output",
    "model_rates: {§m: {input_per_million: 1}}",
    "model_rates.m.output_per_million",
    "is required",
  ),
  cost(
    "a promotion without a model",
    promotions(RATES).replace("- {", "- §{"),
    "promotions[0].model",
    "is required",
  ),
  cost(
    "a promotion that starts on no day",
    promotions(`model: m, start: §2026-02-30T00:00:00Z, ${RATES}`),
    "promotions[0].start",
    "must be a time with its zone",
  ),
  cost(
    "a promotion without a zone",
    promotions(`model: m, end: §2026-02-01T00:00:00, ${RATES}`),
    "promotions[0].end",
    "write it like 2026-01-31T00:00:00Z",
  ),
  cost(
    "a promotion that ends before it starts",
    promotions(`model: m, start: 2026-02-01T00:00:00Z, end: §2026-02-01T00:00:00Z, ${RATES}`),
    "promotions[0].end",
    "must be later than start",
  ),
  cost(
    "promotions that overlap",
    promotions(
      `model: m, start: 2026-02-01T00:00:00Z, end: 2026-03-01T00:00:00Z, ${RATES}`,
      `model: m, start: 2026-03-01T00:00:00Z, end: 2026-04-01T00:00:00Z, ${RATES}`,
      `model: other, ${RATES}`,
      `model: m, start: 2026-03-31T23:59:59Z, ${RATES}`,
    ).replace("- {model: m, start: 2026-03-31", "- §{model: m, start: 2026-03-31"),
    "promotions[3]",
    "must not overlap another promotion of m",
  ),
];
