import { expect } from "chai";
import { thinkingConfig } from "../providers/google-native/request/build-gemini-request.ts";

describe("thinkingConfig", () => {
  for (const [model, expected] of [
    ["gemini-2.5-pro", { thinkingBudget: 32_768 }],
    ["models/Gemini-2.5-Pro-preview", { thinkingBudget: 32_768 }],
    ["gemini-2.5-flash", { thinkingBudget: 24_576 }],
    ["gemini-2.5-flash-lite", { thinkingBudget: 24_576 }],
    ["gemini-3-pro-preview", { thinkingLevel: "HIGH" }],
    ["gemini-3.8-flash", { thinkingLevel: "HIGH" }],
    ["gemini-10-pro", { thinkingLevel: "HIGH" }],
    ["gemini-flash-latest", { thinkingBudget: 24_576 }],
    ["some-other-model", { thinkingBudget: 24_576 }],
  ] as const) {
    it(`includes the thoughts of ${model} with ${JSON.stringify(expected)}`, () => {
      expect(thinkingConfig(model)).to.deep.equal({ includeThoughts: true, ...expected });
    });
  }

  it("leaves half of a short answer for the text", () => {
    expect(thinkingConfig("gemini-2.5-pro", 1_001)).to.include({ thinkingBudget: 500 });
    expect(thinkingConfig("gemini-2.5-pro", 100_000)).to.include({ thinkingBudget: 32_768 });
  });

  it("sends models before 2.5 no setting, which they would refuse", () => {
    expect(thinkingConfig("gemini-2.0-flash")).to.equal(undefined);
    expect(thinkingConfig("gemini-1.5-pro")).to.equal(undefined);
  });
});
