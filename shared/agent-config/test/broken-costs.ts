import { brokenRows, type BrokenFile } from "./broken-file.ts";

/** RATES stands for the rates of a model. */
const COSTS = String.raw`
cost estimation that is neither on nor off | enabled                          | true or false                      | enabled: §perhaps
a rate as text                             | model_rates.m.input_per_million  | must be a number                   | model_rates: {m: {input_per_million: §"1", output_per_million: 2}}
a negative rate                            | model_rates.m.input_per_million  | must be a number from 0 to 1000000 | model_rates: {m: {input_per_million: §-1, output_per_million: 2}}
a rate with too many decimals              | model_rates.m.output_per_million | at most six decimals               | model_rates: {m: {input_per_million: 1, output_per_million: §0.1234567}}
rates without one for output               | model_rates.m.output_per_million | is required                        | model_rates: {§m: {input_per_million: 1}}
a promotion without a model                | promotions[0].model              | is required                        | promotions:\n      - §{RATES}
a promotion that starts on no day          | promotions[0].start              | must be a time with its zone       | promotions:\n      - {model: m, start: §2026-02-30T00:00:00Z, RATES}
a promotion without a zone                 | promotions[0].end                | write it like 2026-01-31T00:00:00Z | promotions:\n      - {model: m, end: §2026-02-01T00:00:00, RATES}
a promotion that ends before it starts     | promotions[0].end                | must be later than start           | promotions:\n      - {model: m, start: 2026-02-01T00:00:00Z, end: §2026-02-01T00:00:00Z, RATES}
`;
const OVERLAP = `promotions:
      - {model: m, start: 2026-02-01T00:00:00Z, end: 2026-03-01T00:00:00Z, RATES}
      - {model: m, start: 2026-03-01T00:00:00Z, end: 2026-04-01T00:00:00Z, RATES}
      - {model: other, RATES}
      - §{model: m, start: 2026-03-31T23:59:59Z, RATES}`;
const tarsy = (body: string) =>
  `system:\n  cost_estimation:\n    ${body.replaceAll("RATES", "input_per_million: 1, output_per_million: 2")}\n`;

/** Cost estimation with one mistake each. */
export const BROKEN_COSTS: readonly BrokenFile[] = [
  ...brokenRows(COSTS, (body) => ({ tarsy: tarsy(body) }), "system.cost_estimation."),
  {
    name: "promotions that overlap",
    tarsy: tarsy(OVERLAP),
    errors: [["system.cost_estimation.promotions[3]", "must not overlap another promotion of m"]],
  },
];
