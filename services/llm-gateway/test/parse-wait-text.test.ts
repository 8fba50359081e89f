import { expect } from "chai";
import { parseWaitText } from "../errors/parse-wait-text.ts";
import { expectLinear } from "../../../test/support/expect-linear.ts";

describe("parseWaitText", () => {
  for (const [text, ms] of [
    [
      "Rate limit reached for gpt-4o (TPM): Limit 30000, Used 29000. Please try again in 20s. Visit …",
      20_000,
    ],
    ["Please try again in 250ms.", 250],
    ["Please try again in 6m0s.", 360_000],
    ["Please try again in 1h2m3.4s.", 3_723_400],
    ["Please retry in 48.912345678s.", 48_913],
    ["Please retry after 20 seconds.", 20_000],
    ["Try again in 1 minute", 60_000],
    ["try again in 2 hours", 7_200_000],
    ["try again in 300 milliseconds", 300],
    ["Please wait 20 seconds before retrying", 20_000],
    ["try again in 2 days 3 hours", 183_600_000],
    ["try again later", undefined],
    ["try again in 5 apples", undefined],
    ["try again in 5 months", undefined],
    ["", undefined],
  ] as const) {
    it(`reads "${text}"`, () => {
      expect(parseWaitText(text)).to.equal(ms);
    });
  }

  it("takes linear time on hostile text", () => {
    for (const part of ["try again in ", "1", "1s ", "try again in 1s1s1s1s1"]) {
      const textOf = (size: number) => part.repeat(size / part.length);
      expectLinear(part, { size: 4_000, textOf, work: parseWaitText });
    }
  });
});
