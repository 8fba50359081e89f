import { expect } from "chai";
import { openSseServer, type SseHandler } from "../../../test/support/sse-server.ts";
import { openGateway } from "./open-gateway.ts";
import { chatRequest, completion, contentsOf, usageOf } from "./wire.ts";

async function play(handler: SseHandler) {
  await using server = await openSseServer(handler);
  await using gateway = await openGateway();
  return await gateway.ask(chatRequest("openai", `${server.url}/v1`));
}

describe("llm-gateway with usage of chat completions in other places", () => {
  const counts = { prompt_tokens: 100, completion_tokens: 30, total_tokens: 130 };
  const parts = {
    prompt_tokens_details: { cached_tokens: 40 },
    completion_tokens_details: { reasoning_tokens: 10 },
  };
  for (const [where, extras] of Object.entries({
    "the last choice": [
      { choices: [{ index: 0, delta: {}, finish_reason: "stop", usage: { ...counts, ...parts } }] },
    ],
    x_groq: [{ x_groq: { usage: { ...counts, ...parts } } }],
    "two chunks": [{ usage: { prompt_tokens: 100, ...parts } }, { usage: { completion_tokens: 30 } }],
    "every chunk, the last of them empty": [
      { usage: { ...counts, ...parts } },
      { usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: null } },
    ],
    "names of other servers": [
      { usage: { input_tokens: 100, output_tokens: 30, cached_tokens: 40, reasoning_tokens: 10 } },
    ],
  } satisfies Record<string, readonly object[]>)) {
    it(`reads usage in ${where}`, async () => {
      const { chunks, error } = await play((reply) => {
        reply.data(completion({ role: "assistant", content: "x" }));
        for (const extra of extras) reply.data(completion({}, "stop", { usage: undefined, ...extra }));
        reply.raw("data: [DONE]\n\n");
        reply.end();
      });
      expect(error).to.equal(undefined);
      expect(contentsOf(chunks, "usage")).to.deep.equal([usageOf(100, 20, 10, { cachedInputTokens: 40 })]);
    });
  }
});
