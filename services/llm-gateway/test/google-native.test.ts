import { expect } from "chai";
import type { GenerateResponse } from "#shared/generated/llm/v1/llm.ts";
import { geminiChunk, openGeminiServer } from "../../../test/support/gemini-server.ts";
import { TEST_KEY, geminiRequest, message, openGateway, type Answer } from "./open-gateway.ts";

const USAGE = { promptTokenCount: 10, candidatesTokenCount: 5, thoughtsTokenCount: 7, totalTokenCount: 22 };
const TOOL = {
  name: "kubernetes.get_pods",
  description: "Lists pods",
  parametersSchema: JSON.stringify({ type: "object", properties: { namespace: { type: "string" } } }),
};

/** The values of all contents of one kind, in order. */
function values(answer: Answer, kind: string): unknown[] {
  return answer.chunks.flatMap(({ content }) => (content?.$case === kind ? [content.value] : []));
}

describe("llm-gateway with Gemini", () => {
  it("sends the key in its header, to the path of the model", async () => {
    await using gemini = await openGeminiServer((reply) => {
      reply.chunk(geminiChunk([{ text: "ok" }], { finishReason: "STOP" }));
      reply.end();
    });
    await using gateway = await openGateway();
    expect((await gateway.ask(geminiRequest(gemini.url))).text).to.equal("ok");
    const [request] = gemini.requests;
    expect(request?.path).to.equal("/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse");
    expect(request?.headers["x-goog-api-key"]).to.equal(TEST_KEY);
  });

  it("loses no data to comments, event names and ids", async () => {
    const data = (value: object): string => `data: ${JSON.stringify(value)}\r\n`;
    const last = geminiChunk([{ text: "three" }], { finishReason: "STOP", usageMetadata: USAGE });
    const stream = `: hello\r\n\r\nevent: message\r\nid: 1\r\n${data(geminiChunk([{ text: "one 💾 " }]))}\r\nretry: 5\r\n${data(
      geminiChunk([{ text: "two " }]),
    )}: bye\r\n\r\n${data(last)}\r\n`;
    await using gemini = await openGeminiServer((reply) => {
      for (const byte of Buffer.from(stream)) reply.raw(Uint8Array.of(byte));
      reply.end();
    });
    await using gateway = await openGateway();
    const answer = await gateway.ask(geminiRequest(gemini.url));
    const texts = values(answer, "text").flatMap((value) =>
      typeof value === "object" && value !== null && "content" in value ? [value.content] : [],
    );
    expect(texts.join("")).to.equal("one 💾 two three");
  });

  it("sends the system instruction, the conversation and the thinking level", async () => {
    await using gemini = await openGeminiServer((reply) => {
      reply.chunk(geminiChunk([{ text: "ok" }], { finishReason: "STOP" }));
      reply.end();
    });
    await using gateway = await openGateway();
    await gateway.ask(
      geminiRequest(
        gemini.url,
        {
          messages: [
            message("system", "Be brief."),
            message("user", "Hello"),
            message("assistant", "Hi"),
            message("user", "Go"),
          ],
        },
        { nativeTools: { google_search: true, code_execution: false, url_context: true } },
      ),
    );
    expect(gemini.requests[0]?.body).to.deep.equal({
      systemInstruction: { role: "user", parts: [{ text: "Be brief." }] },
      contents: [
        { role: "user", parts: [{ text: "Hello" }] },
        { role: "model", parts: [{ text: "Hi" }] },
        { role: "user", parts: [{ text: "Go" }] },
      ],
      tools: [{ googleSearch: {} }, { urlContext: {} }],
      generationConfig: { thinkingConfig: { includeThoughts: true, thinkingLevel: "HIGH" } },
    });
  });

  it("streams tool calls and sends them back with ids, signatures and results", async () => {
    await using gemini = await openGeminiServer([
      (reply) => {
        reply.chunk(geminiChunk([{ text: "I look " }, { text: "it up.", thoughtSignature: "c2lnLXRleHQ=" }]));
        const functionCall = { name: "kubernetes__get_pods", args: { namespace: "shop" }, id: "fc-1" };
        reply.chunk(geminiChunk([{ functionCall, thoughtSignature: "c2lnLWNhbGw=" }]));
        reply.chunk(
          geminiChunk([{ functionCall: { name: "kubernetes__get_pods" } }], { finishReason: "STOP" }),
        );
        reply.end();
      },
      (reply) => {
        reply.chunk(geminiChunk([{ text: "done" }], { finishReason: "STOP" }));
        reply.end();
      },
    ]);
    await using gateway = await openGateway();
    const first = await gateway.ask(
      geminiRequest(gemini.url, { tools: [TOOL] }, { nativeTools: { google_search: true } }),
    );
    expect(first.error).to.equal(undefined);
    const calls = first.chunks.flatMap(({ content }) =>
      content?.$case === "toolCall" ? [content.value] : [],
    );
    expect(calls.map(({ name, arguments: text }) => [name, text])).to.deep.equal([
      ["kubernetes.get_pods", '{"namespace":"shop"}'],
      ["kubernetes.get_pods", "{}"],
    ]);
    expect(new Set(calls.map(({ callId }) => callId)).size).to.equal(2);
    const state = first.chunks.flatMap(({ content }) =>
      content?.$case === "providerState" ? [content.value.data] : [],
    );
    expect(state).to.have.length(1);
    expect(gemini.requests[0]?.body).to.deep.include({
      tools: [
        {
          functionDeclarations: [
            {
              name: "kubernetes__get_pods",
              description: "Lists pods",
              parametersJsonSchema: { type: "object", properties: { namespace: { type: "string" } } },
            },
          ],
        },
      ],
    });

    const tool = (index: number, content: string) =>
      message("tool", content, { toolCallId: calls[index]?.callId ?? "", toolName: "kubernetes.get_pods" });
    await gateway.ask(
      geminiRequest(gemini.url, {
        messages: [
          message("user", "Look"),
          message("assistant", first.text, {
            toolCalls: calls.map(({ callId, name, arguments: text }) => ({
              id: callId,
              name,
              arguments: text,
            })),
            providerState: state[0] ?? Buffer.alloc(0),
          }),
          tool(0, '{"pods":[]}'),
          tool(1, "[1,2]"),
        ],
      }),
    );
    expect(gemini.requests[1]?.body).to.deep.include({
      contents: [
        { role: "user", parts: [{ text: "Look" }] },
        {
          role: "model",
          parts: [
            { text: "I look " },
            { text: "it up.", thoughtSignature: "c2lnLXRleHQ=" },
            {
              functionCall: { name: "kubernetes__get_pods", args: { namespace: "shop" }, id: "fc-1" },
              thoughtSignature: "c2lnLWNhbGw=",
            },
            { functionCall: { name: "kubernetes__get_pods", args: {} } },
          ],
        },
        {
          role: "user",
          parts: [
            { functionResponse: { name: "kubernetes__get_pods", response: { pods: [] }, id: "fc-1" } },
            { functionResponse: { name: "kubernetes__get_pods", response: { result: [1, 2] } } },
          ],
        },
      ],
    });
  });

  it("passes code execution on and the last grounding once, after the content", async () => {
    const grounding = {
      webSearchQueries: ["oom 137"],
      groundingChunks: [{ web: { uri: "https://example.org/oom", title: "OOM" } }],
      groundingSupports: [
        { segment: { startIndex: 1, endIndex: 4, text: "oom" }, groundingChunkIndices: [0] },
      ],
      searchEntryPoint: { renderedContent: "<b>oom</b>" },
    };
    await using gemini = await openGeminiServer((reply) => {
      reply.chunk(
        geminiChunk([{ executableCode: { language: "PYTHON", code: "print(1)" } }], {
          groundingMetadata: {},
        }),
      );
      reply.chunk(geminiChunk([{ codeExecutionResult: { outcome: "OUTCOME_OK", output: "1\n" } }]));
      reply.chunk(geminiChunk([{ text: "One." }], { groundingMetadata: grounding }));
      reply.chunk(geminiChunk([], { finishReason: "STOP" }));
      reply.end();
    });
    await using gateway = await openGateway();
    const answer = await gateway.ask(geminiRequest(gemini.url));
    expect(values(answer, "codeExecution")).to.deep.equal([
      { code: "print(1)", result: "" },
      { code: "", result: "1\n" },
    ]);
    expect(values(answer, "grounding")).to.deep.equal([
      {
        webSearchQueries: ["oom 137"],
        groundingChunks: [{ uri: "https://example.org/oom", title: "OOM" }],
        groundingSupports: [{ startIndex: 1, endIndex: 4, text: "oom", groundingChunkIndices: [0] }],
        searchEntryPointHtml: "<b>oom</b>",
      },
    ]);
    expect(answer.chunks.map(({ content }) => content?.$case)).to.deep.equal([
      "codeExecution",
      "codeExecution",
      "text",
      "grounding",
      undefined,
    ]);
  });

  it("never ends a delta inside a surrogate pair, whatever the provider does", async () => {
    let sendRest = (): void => undefined;
    await using gemini = await openGeminiServer((reply) => {
      reply.raw('data: {"candidates":[{"content":{"parts":[{"text":"fire \\ud83d"}]}}]}\n\n');
      sendRest = () => {
        reply.raw(
          'data: {"candidates":[{"content":{"parts":[{"text":"\\udd25"}]},"finishReason":"STOP"}]}\n\n',
        );
        reply.end();
      };
    });
    await using gateway = await openGateway();
    const deltas: string[] = [];
    const responses: AsyncIterable<GenerateResponse> = gateway.client.generate(geminiRequest(gemini.url));
    for await (const { content } of responses) {
      if (content?.$case !== "text") continue;
      deltas.push(content.value.content);
      if (deltas.length === 1) sendRest();
    }
    expect(deltas).to.deep.equal(["fire ", "🔥"]);
  });

  it("joins an answer that Gemini gives in several responses", async () => {
    await using gemini = await openGeminiServer([
      (reply) => {
        const content = { parts: [{ text: "one, " }] };
        reply.chunk({
          candidates: [{ content, finishReason: "CONTINUATION", continuationToken: "dG9rZW4=" }],
        });
        reply.end();
      },
      (reply) => {
        reply.chunk(geminiChunk([{ text: "two" }], { finishReason: "STOP" }));
        reply.end();
      },
    ]);
    await using gateway = await openGateway();
    const { text, error } = await gateway.ask(geminiRequest(gemini.url));
    expect({ text, error }).to.deep.equal({ text: "one, two", error: undefined });
    expect(JSON.stringify(gemini.requests[1]?.body)).to.contain("dG9rZW4=");
  });

  it("serves the backend langchain for Google models through the same client", async () => {
    await using gemini = await openGeminiServer((reply) => {
      reply.chunk(geminiChunk([{ text: "ok" }], { finishReason: "STOP" }));
      reply.end();
    });
    await using gateway = await openGateway();
    const answer = await gateway.ask(geminiRequest(gemini.url, {}, { backend: "langchain" }));
    expect(answer.text).to.equal("ok");
  });
});
