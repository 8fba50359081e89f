import { expect } from "chai";
import { geminiChunk, openGeminiServer } from "../../../test/support/gemini-server.ts";
import { until } from "../../../test/support/until.ts";
import { geminiRequest, openGateway } from "./open-gateway.ts";

describe("llm-gateway's metrics", () => {
  it("count calls, tokens and times by provider, model and outcome", async () => {
    const usageMetadata = { promptTokenCount: 7, candidatesTokenCount: 5, thoughtsTokenCount: 3 };
    await using gemini = await openGeminiServer([
      (reply) => {
        reply.chunk(geminiChunk([{ text: "fine" }], { finishReason: "STOP", usageMetadata }));
        reply.end();
      },
      (reply) => reply.fail(401, { error: { code: 401, message: "who?" } }),
    ]);
    await using gateway = await openGateway();
    await gateway.ask(geminiRequest(gemini.url));
    await gateway.ask(geminiRequest(gemini.url));
    await until("the call is counted", async () =>
      (await gateway.metrics.metrics()).includes('outcome="credentials"'),
    );
    const lines = (await gateway.metrics.metrics()).split("\n");
    const labels = 'provider="google",model="gemini-3-pro"';
    expect(lines).to.include.members([
      `tarsy_llm_calls_total{${labels},outcome="ok"} 1`,
      `tarsy_llm_calls_total{${labels},outcome="credentials"} 1`,
      `tarsy_llm_tokens_total{${labels},kind="input"} 7`,
      `tarsy_llm_tokens_total{${labels},kind="output"} 5`,
      `tarsy_llm_tokens_total{${labels},kind="thinking"} 3`,
      "tarsy_llm_calls_running 0",
      `tarsy_llm_time_to_first_chunk_seconds_count{${labels}} 1`,
      `tarsy_llm_call_duration_seconds_count{${labels}} 2`,
    ]);
  });
});
