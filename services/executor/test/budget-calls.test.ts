import { expect } from "chai";
import type { ConversationMessage, GenerateRequest } from "#shared/generated/llm/v1/llm.ts";
import type { CostEstimation } from "#shared/pricing/price-call.ts";
import { callBound, inputBound } from "../budget/call-bound.ts";
import { fitRequest } from "../budget/fit-request.ts";
import { limitedRequest } from "../budget/reserve-call.ts";
import { settleCall } from "../budget/settle-call.ts";
import { generateRequest } from "../llm/generate-request.ts";
import { EMPTY_REPLY, type LlmOutcome } from "../llm/llm-reply.ts";
import { resolvedAgent, resolvedChain } from "./resolved-chain.ts";

const NOW = Date.parse("2026-06-01T12:00:00Z");
const PROVIDER = { type: "scripted", model: "m", max_output_tokens: 100 };
const rates = (input: number, output: number, more: object = {}) => ({
  input_per_million: input,
  output_per_million: output,
  ...more,
});
const bounding = (estimation: Partial<CostEstimation> = {}, tries = 1) => ({
  llm: {
    costEstimation: {
      enabled: true,
      modelRates: new Map([["m", rates(1, 2)]]),
      promotions: [],
      ...estimation,
    },
    tries,
  },
  clock: { databaseNow: () => NOW },
});
const message = (role: string, content: string, more: Partial<ConversationMessage> = {}) => ({
  role,
  content,
  toolCalls: [],
  toolCallId: "",
  toolName: "",
  providerState: Buffer.alloc(0),
  ...more,
});
const request = (...messages: ConversationMessage[]): GenerateRequest => ({
  sessionId: "s",
  executionId: "e",
  agentName: "",
  messages,
  llmConfig: undefined,
  tools: [],
});

describe("the most that a call can use", () => {
  it("is every byte as a token, the longest answer, and every try", () => {
    const input = inputBound(request(message("user", "ü".repeat(1_000))));
    expect(input).to.be.above(2_000).and.below(2_400);
    expect(callBound(bounding(), PROVIDER, 1_000)).to.deep.equal({
      usd: "0.001200000000",
      tokens: 1_100,
      calls: 1,
    });
    expect(callBound(bounding({}, 3), PROVIDER, 1_000)).to.include({ usd: "0.003600000000", tokens: 3_300 });
    const { max_output_tokens: _limit, ...unlimited } = PROVIDER;
    expect(callBound(bounding(), unlimited, 1_000).tokens).to.equal(9_192);
  });

  it("is at the highest rate that may apply: the cache's, thinking's, with promotions and without", () => {
    const modelRates = new Map([
      ["m", rates(1, 2, { cache_write_per_million: 1.25, reasoning_per_million: 4 })],
    ]);
    expect(callBound(bounding({ modelRates }), PROVIDER, 1_000).usd).to.equal("0.001650000000");
    const cheap = { model: "m", ...rates(0, 0), endMs: NOW + 1_000 };
    expect(callBound(bounding({ promotions: [cheap] }), PROVIDER, 1_000).usd).to.equal("0.001200000000");
    const dear = { model: "m", ...rates(10, 20), startMs: NOW + 60_000 };
    expect(callBound(bounding({ promotions: [dear] }), PROVIDER, 1_000).usd).to.equal("0.012000000000");
    const over = { model: "m", ...rates(10, 20), endMs: NOW - 1 };
    expect(callBound(bounding({ promotions: [over] }), PROVIDER, 1_000).usd).to.equal("0.001200000000");
    expect(callBound(bounding({ modelRates: new Map() }), PROVIDER, 1_000).usd).to.equal(null);
    expect(callBound(bounding({ enabled: false }), PROVIDER, 1_000).usd).to.equal(null);
  });
});

describe("the request of a call under a budget", () => {
  it("limits the answer to what its bound is made with", () => {
    const provider = resolvedChain().stages[0]?.agents[0]?.llm_provider;
    if (provider === undefined) throw new Error("the chain has no agent");
    const state = { agent: resolvedAgent("TestAgent", "single-call"), messages: [] };
    const plain = generateRequest(
      { session: { sessionId: "s" }, execution: { execution_id: "e" }, state },
      [],
    );
    const limitOf = (max: object) =>
      limitedRequest(plain, { ...provider, ...max }).llmConfig?.maxOutputTokens;
    expect(plain.llmConfig?.maxOutputTokens).to.equal(0);
    expect(limitOf({})).to.equal(8_192);
    expect(limitOf({ max_output_tokens: 77 })).to.equal(77);
  });
});

describe("what a call counts as", () => {
  const reserved = { id: "r", bound: { usd: "0.500000000000", tokens: 500, calls: 1 } };
  const usage = { inputTokens: 10, outputTokens: 5, thinkingTokens: 1, totalTokens: 16 };
  const settled = (outcome: LlmOutcome, used: typeof usage | null = null) =>
    settleCall(bounding(), PROVIDER, reserved, { ...EMPTY_REPLY, outcome, usage: used });
  const failed = (code: string, lastCode?: string) =>
    ({ kind: "failed", code, message: "no", retryable: true, lastCode }) as const;
  const nothing = { reservation_id: "r", usd: "0.000000000000", tokens: 0 };
  const all = { reservation_id: "r", usd: "0.500000000000", tokens: 500, calls: 1 };

  it("is what the provider reports of a whole answer", () => {
    const counted = { reservation_id: "r", usd: "0.000022000000", tokens: 16, calls: 1 };
    expect(settled({ kind: "completed" }, usage)).to.deep.equal(counted);
    expect(settled(failed("content_blocked"), usage)).to.deep.equal(counted);
  });

  it("has the most of the gateway's tries before, of which nothing is reported", () => {
    const tried = { ...usage, unreportedTries: 2 };
    const reply = { ...EMPTY_REPLY, outcome: { kind: "completed" } as const, usage: tried };
    expect(settleCall(bounding({}, 5), PROVIDER, reserved, reply)).to.deep.equal({
      reservation_id: "r",
      usd: "0.200022000000",
      tokens: 216,
      calls: 1,
    });
  });

  it("is the most of what is not known", () => {
    expect(settled({ kind: "completed" })).to.deep.equal(all);
    expect(settled({ kind: "interrupted", message: "broke", reason: "" })).to.deep.equal(all);
    for (const code of ["timeout", "partial_stream_error", "provider_error", "output_loop", "max_retries"]) {
      expect(settled(failed(code)), code).to.deep.equal(all);
    }
    expect(settled(failed("partial_stream_error"), usage)).to.deep.equal(all);
  });

  it("is a call without tokens if the provider refused it, and nothing if no gateway took it", () => {
    for (const outcome of [
      failed("rate_limited"),
      failed("credentials"),
      failed("max_retries", "overloaded"),
    ]) {
      expect(settled(outcome), outcome.code).to.deep.equal({ ...nothing, calls: 1 });
    }
    expect(settled({ kind: "unreachable", message: "away", reason: "" })).to.deep.equal({
      ...nothing,
      calls: 0,
    });
  });
});

describe("a conclusion that is larger than what is kept back", () => {
  const call = { toolCalls: [{ id: "1", name: "a.b", arguments: "{}" }] };
  const conversation = request(
    message("system", "S".repeat(500)),
    message("user", "A".repeat(500)),
    message("assistant", "first", call),
    message("tool", "old ".repeat(500)),
    message("assistant", "second", call),
    message("tool", "new ".repeat(5_000)),
    message("user", "Conclude now"),
  );
  const contents = (fitted: GenerateRequest | null) => fitted?.messages.map(({ content }) => content.length);

  it("cuts results of tools, the newest first", () => {
    const whole = inputBound(conversation);
    expect(fitRequest(conversation, whole)?.messages).to.deep.equal(conversation.messages);
    const fitted = fitRequest(conversation, 4_500);
    expect(fitted?.messages[5]?.content).to.match(
      /^new new [\s\S]*\n\[The rest was left out: the budget has no room for it\.\]$/u,
    );
    expect(contents(fitted)?.slice(0, 5)).to.deep.equal([500, 500, 5, 2_000, 6]);
    expect(contents(fitRequest(conversation, 2_500))?.[3]).to.be.below(300);
  });

  it("leaves out the newest turns then, and never what began the conversation or asks for the conclusion", () => {
    const first = inputBound(request(...conversation.messages.slice(0, 2), message("user", "Conclude now")));
    expect(contents(fitRequest(conversation, first))).to.deep.equal([500, 500, 12]);
    expect(fitRequest(conversation, first - 1)).to.equal(null);
    const one = request(...conversation.messages.slice(0, 4), message("user", "Conclude now"));
    const fitted = fitRequest(conversation, inputBound(one) - 1_700);
    expect(fitted?.messages.map(({ role }) => role)).to.deep.equal([
      "system",
      "user",
      "assistant",
      "tool",
      "user",
    ]);
  });
});
