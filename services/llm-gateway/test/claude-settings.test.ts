import { expect } from "chai";
import { claudeSettings } from "../providers/langchain/models/claude-settings.ts";

const BUDGET = { maxTokens: 32_000, thinking: { type: "enabled", budget_tokens: 16_000 } };
const ADAPTIVE = { maxTokens: 32_000, thinking: { type: "adaptive", display: "summarized" } };
const SILENT = (maxTokens: number) => ({ maxTokens, thinking: undefined });

describe("claudeSettings", () => {
  for (const [model, expected] of [
    ["claude-3-haiku-20240307", SILENT(4_096)],
    ["claude-2.1", SILENT(4_096)],
    ["claude-3-5-sonnet-20241022", SILENT(8_192)],
    ["claude-3-7-sonnet-latest", BUDGET],
    ["claude-sonnet-4-20250514", BUDGET],
    ["claude-opus-4-1-20250805", BUDGET],
    ["claude-sonnet-4-5@20250929", BUDGET],
    ["anthropic/claude-sonnet-4.5", BUDGET],
    ["claude-haiku-4-5", BUDGET],
    ["claude-opus-4-6", ADAPTIVE],
    ["claude-opus-4-7-20260101", ADAPTIVE],
    ["claude-sonnet-5", ADAPTIVE],
    ["claude-opus-10-1", ADAPTIVE],
    ["qwen3:32b", SILENT(8_192)],
  ] as const) {
    it(`knows ${model}`, () => expect(claudeSettings(model)).to.deep.equal(expected));
  }

  it("leaves half of a short answer for the text, and does not think in a very short one", () => {
    const thinking = { type: "enabled", budget_tokens: 2_000 };
    expect(claudeSettings("claude-sonnet-4-5", 4_000)).to.deep.equal({ maxTokens: 4_000, thinking });
    expect(claudeSettings("claude-sonnet-4-5", 2_000)).to.deep.equal(SILENT(2_000));
    expect(claudeSettings("claude-3-haiku-20240307", 100_000)).to.deep.equal(SILENT(4_096));
  });
});
