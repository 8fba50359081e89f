import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { expect } from "chai";
import { listen } from "#shared/service/listen.ts";
import { openSseServer, type SseHandler } from "../../../test/support/sse-server.ts";
import { geminiRequest, message, openGateway } from "./open-gateway.ts";
import { PODS_TOOL, chatRequest, completion } from "./wire.ts";

const NAME = "kubernetes__pods_list";

async function ask(provider: string, path: string, handler: SseHandler) {
  await using server = await openSseServer(handler);
  await using gateway = await openGateway();
  const request = { tools: [PODS_TOOL] };
  const answer = await gateway.ask(
    provider === "google"
      ? geminiRequest(server.url, request)
      : chatRequest(provider, `${server.url}${path}`, request),
  );
  const calls = answer.chunks.flatMap(({ content }) =>
    content?.$case === "toolCall" ? [content.value] : [],
  );
  return { ...answer, calls, requests: server.requests };
}

/** A server that refuses each request and keeps the text of its body: a parsed one has lost its digits. */
async function openRawServer(bodies: string[]) {
  const server = createServer((request, response) => {
    const answer = async () => {
      bodies.push(await text(request));
      response.writeHead(400).end("{}");
    };
    void answer();
  });
  await listen(server, { host: "127.0.0.1", port: 0 });
  const address = server.address();
  return {
    url: `http://127.0.0.1:${address !== null && typeof address === "object" ? address.port : 0}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await promisify(server.close.bind(server))();
    },
  };
}

describe("llm-gateway with numbers that a double would round", () => {
  it("keeps the digits of arguments that come as a value", async () => {
    const piece = `{"index":0,"id":"x","function":{"name":"${NAME}","arguments":{"n":1764163864123456789}}}`;
    const { calls } = await ask("openai", "/v1", (reply) => {
      reply.raw(`data: {"choices":[{"index":0,"delta":{"tool_calls":[${piece}]}}]}\n\n`);
      reply.data(completion({}, "tool_calls"));
      reply.end();
    });
    expect(calls.map(({ arguments: json }) => json)).to.deep.equal(['{"n":1764163864123456789}']);
  });

  it("keeps the digits of Gemini's arguments", async () => {
    const { calls } = await ask("google", "", (reply) => {
      const call = `{"functionCall":{"name":"${NAME}","args":{"n":1764163864123456789,"f":0.5}}}`;
      reply.raw(`data: {"candidates":[{"content":{"parts":[${call}]},"finishReason":"STOP"}]}\n\n`);
      reply.end();
    });
    expect(calls.map(({ arguments: json }) => json)).to.deep.equal(['{"n":1764163864123456789,"f":0.5}']);
  });

  for (const [api, provider, path] of [
    ["Anthropic", "anthropic", ""],
    ["chat completions", "openai", "/v1"],
    ["Responses", "openai", "/v1/responses"],
    ["Gemini", "google", ""],
  ] as const) {
    it(`sends the digits of earlier arguments back to ${api}`, async () => {
      const numbers = '"n":1764163864123456789,"z":1.2345678901234567890123';
      const messages = [
        message("user", "go"),
        message("assistant", "", {
          toolCalls: [{ id: "call_1", name: PODS_TOOL.name, arguments: `{${numbers}}` }],
        }),
        message("tool", "none", { toolCallId: "call_1", toolName: PODS_TOOL.name }),
      ];
      const bodies: string[] = [];
      await using server = await openRawServer(bodies);
      await using gateway = await openGateway();
      const request = { messages, tools: [PODS_TOOL] };
      await gateway.ask(
        provider === "google"
          ? geminiRequest(server.url, request)
          : chatRequest(provider, `${server.url}${path}`, request),
      );
      expect(bodies[0]?.replaceAll("\\", "")).to.contain(numbers);
    });
  }
});
