import { expect } from "chai";
import { PRICE_SNAPSHOT, type PriceFamily } from "../price-snapshot.ts";
import { daysLeft, retirementNotice, retirementOf } from "../retirement-of.ts";

const FAMILIES: Readonly<Record<string, PriceFamily>> = PRICE_SNAPSHOT.families;
const SONNET_4 = { day: "2026-06-15", successor: "claude-sonnet-5" };

describe("retirementOf", () => {
  for (const [type, model, expected] of [
    ["anthropic", "claude-sonnet-4-20250514", SONNET_4],
    ["anthropic", "claude-sonnet-4-0", SONNET_4],
    ["anthropic", "claude-sonnet-4-5-20250929", { day: "2026-11-30", successor: "claude-sonnet-5-5" }],
    ["anthropic", "claude-sonnet-4-6", undefined],
    ["anthropic", "claude-sonnet-5", undefined],
    ["google", "gemini-2.5-pro", { day: "2026-12-01", successor: "gemini-3.8-flash" }],
    ["google", "models/gemini-2.5-pro", { day: "2026-12-01", successor: "gemini-3.8-flash" }],
    ["google", "gemini-3.1-flash-lite", { day: "2027-05-07", successor: undefined }],
    ["openai", "gpt-5", { day: "2026-12-11", successor: "gpt-6.1-sol" }],
    ["openai", "gpt-5-2025-08-07", { day: "2026-12-11", successor: "gpt-6.1-sol" }],
    ["openai", "gpt-4o-2024-05-13", { day: "2026-10-23", successor: "gpt-5.6-sol" }],
    ["openai", "gpt-4o-2024-11-20", { day: "2027-01-14", successor: "gpt-6-luna" }],
    ["openai", "gpt-5.2", undefined],
    ["xai", "grok-4-0709", { day: "2026-05-15", successor: "grok-4.3" }],
    // They serve the models of others by schedules of their own.
    ["vertexai", "gemini-2.5-pro", undefined],
    ["vertexai", "claude-sonnet-4-5@20250929", undefined],
    ["bedrock", "us.anthropic.claude-sonnet-4-20250514-v1:0", undefined],
    ["azure", "gpt-5", undefined],
    ["openrouter", "anthropic/claude-sonnet-4", undefined],
    ["openai", "claude-sonnet-4", undefined],
    ["scripted", "gpt-5", undefined],
  ] as const) {
    it(`knows whether ${model} of type ${type} retires`, () => {
      expect(retirementOf({ type, model })).to.deep.equal(expected);
      expect(retirementOf({ type, model, base_url: "https://proxy.example.com" })).to.equal(undefined);
    });
  }

  it("lists real days, and successors that are listed and outlast the model", () => {
    for (const [type, { models, retirements }] of Object.entries(FAMILIES)) {
      for (const [model, { retires_at: day, successor }] of Object.entries(models)) {
        if (day === undefined) continue;
        expect(retirements, type).to.match(/^https:/u);
        expect(new Date(day).toISOString().slice(0, 10), model).to.equal(day);
        if (successor === undefined) continue;
        expect(Object.keys(models), model).to.include(successor);
        const { retires_at: end = "9999-12-31" } = models[successor] ?? {};
        expect(Date.parse(end), model).to.be.greaterThan(Date.parse(day));
      }
    }
  });
});

describe("retirementNotice", () => {
  const model = { type: "google", model: "gemini-2.5-pro" };
  for (const [now, says] of [
    ["2026-10-01T23:59:59Z", undefined],
    ["2026-10-02T00:00:00Z", "retires on 2026-12-01 (in 60 days)"],
    ["2026-11-26T19:00:00Z", "retires on 2026-12-01 (in 5 days)"],
    ["2026-11-30T23:59:59Z", "retires on 2026-12-01 (in 1 day)"],
    ["2026-12-01T00:00:00Z", "was retired on 2026-12-01"],
    ["2027-12-01T00:00:00Z", "was retired on 2026-12-01"],
  ] as const) {
    it(`says ${says ?? "nothing"} at ${now}`, () => {
      const notice = retirementNotice(model, new Date(now));
      expect(notice?.says).to.equal(says);
      if (notice !== undefined) expect(notice.since.toISOString()).to.equal("2026-10-02T00:00:00.000Z");
    });
  }

  it("says nothing of a model without a day", () => {
    const now = new Date("2100-01-01T00:00:00Z");
    expect(retirementNotice({ type: "google", model: "gemini-3.7-flash" }, now)).to.equal(undefined);
    expect(daysLeft({ day: "2100-01-01" }, now)).to.equal(0);
  });
});
