import { expect } from "chai";
import type { GenerateRequest } from "#shared/generated/llm/v1/llm.ts";
import { openSseServer, type SseHandler } from "../../../test/support/sse-server.ts";
import { geminiRequest, openGateway, type TestConfig } from "./open-gateway.ts";
import { chatRequest, completes, messageStart, messageStop, named, says } from "./wire.ts";

const claude: SseHandler = (reply) => {
  messageStart(reply);
  says(reply, 0, "fine");
  messageStop(reply, "end_turn");
};
const gemini: SseHandler = (reply) => {
  reply.data({ candidates: [{ content: { parts: [{ text: "fine" }] }, finishReason: "STOP" }] });
  reply.end();
};
const responses: SseHandler = (reply) => {
  reply.event(named("response.output_text.delta", { output_index: 0, content_index: 0, delta: "fine" }));
  reply.event(named("response.completed", { response: { id: "resp_1", status: "completed", output: [] } }));
  reply.end();
};

interface Api {
  readonly answer: SseHandler;
  readonly request: (url: string, config: TestConfig) => GenerateRequest;
  /** Where its request has the limit of the answer. */
  readonly limit: (body: unknown) => unknown;
}

/** Reads a value of a request's body by its path. */
const field =
  (...path: readonly string[]) =>
  (body: unknown): unknown => {
    let value = body;
    for (const key of path) {
      value = typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
    }
    return value;
  };
const APIS: Readonly<Record<string, Api>> = {
  "chat completions": {
    answer: completes([{ content: "fine" }]),
    request: (url, config) => chatRequest("openai", `${url}/v1`, {}, config),
    limit: field("max_tokens"),
  },
  "the Responses API": {
    answer: responses,
    request: (url, config) => chatRequest("openai", `${url}/v1/responses`, {}, config),
    limit: field("max_output_tokens"),
  },
  "Anthropic's messages": {
    answer: claude,
    request: (url, config) => chatRequest("anthropic", url, {}, config),
    limit: field("max_tokens"),
  },
  Gemini: {
    answer: gemini,
    request: (url, config) => geminiRequest(url, {}, config),
    limit: field("generationConfig", "maxOutputTokens"),
  },
};

for (const [name, { answer, request, limit }] of Object.entries(APIS)) {
  describe(`llm-gateway with a slow model behind ${name}`, () => {
    it("sends the provider's limit for an answer, and none without one", async () => {
      await using server = await openSseServer(answer);
      await using gateway = await openGateway();
      await gateway.ask(request(server.url, { maxOutputTokens: 700 }));
      await gateway.ask(request(server.url, {}));
      const [limited, unlimited] = server.requests.map(({ body }) => limit(body));
      expect(limited).to.equal(700);
      expect(unlimited).not.to.equal(700);
    });

    it("waits as long as the provider's own entry says", async () => {
      const { promise: wasSilent, resolve: go } = Promise.withResolvers<void>();
      await using server = await openSseServer(async (reply, sent) => {
        await wasSilent;
        await answer(reply, sent);
      });
      await using gateway = await openGateway({ stallMs: 20 });
      setTimeout(go, 200);
      const stall = { firstChunkMs: 600_000, betweenChunksMs: 600_000 };
      const { text, error } = await gateway.ask(request(server.url, { stall }));
      expect({ text, error }).to.deep.equal({ text: "fine", error: undefined });
      expect(server.requests).to.have.length(1);
    });
  });
}

describe("llm-gateway with a silent server", () => {
  it("asks a server of the operator's own once, which may still evaluate the prompt", async () => {
    await using server = await openSseServer(() => undefined);
    await using gateway = await openGateway();
    const stall = { firstChunkMs: 300, betweenChunksMs: 300 };
    for (const [earlier, provider] of ["openai", "anthropic"].entries()) {
      const { error } = await gateway.ask(chatRequest(provider, server.url, {}, { stall }));
      expect(error).to.deep.include({ code: "timeout", retryable: true });
      // On a busy machine the limit may end the call before the request has arrived.
      expect(server.requests).to.have.length.of.at.most(earlier + 1);
      await Promise.all(server.requests.map(({ closed }) => closed));
    }
  });
});
