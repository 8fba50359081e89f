import { expect } from "chai";
import { openSseServer, type SseHandler } from "../../../test/support/sse-server.ts";
import { message, openGateway, type TestConfig } from "./open-gateway.ts";
import {
  OPENAI_USAGE,
  PODS_TOOL,
  chatRequest,
  completes,
  completion,
  contentsOf,
  stateOf,
  usageOf,
} from "./wire.ts";

const done = completes([{ content: "done" }]);
const CALL_ID = "call_0123456789abcdef";
const toolCalls = [{ id: CALL_ID, name: "kubernetes.pods_list", arguments: "{}" }];
const called = { index: 0, id: CALL_ID, function: { name: "kubernetes__pods_list", arguments: "{}" } };

/** A question, a call, its result, and a further word of the user. */
function conversation(providerState: Buffer = Buffer.alloc(0)) {
  return [
    message("system", "Be brief."),
    message("user", "go"),
    message("assistant", "", { toolCalls, providerState }),
    message("tool", "none", { toolCallId: CALL_ID, toolName: "kubernetes.pods_list" }),
    message("user", "and now?"),
  ];
}

async function play(
  type: string,
  handlers: SseHandler | readonly SseHandler[],
  {
    messages = conversation(),
    config = {},
  }: { messages?: ReturnType<typeof conversation>; config?: TestConfig } = {},
) {
  await using server = await openSseServer(handlers);
  await using gateway = await openGateway();
  const request = chatRequest(type, server.url, { messages, tools: [PODS_TOOL] }, config);
  return { ...(await gateway.ask(request)), requests: server.requests };
}

/** The fields of the body of a request. */
function bodyOf(request: { readonly body: unknown } | undefined): Record<string, unknown> {
  const body = request?.body;
  return typeof body === "object" && body !== null ? { ...body } : {};
}

/** The answer of a model that thinks and then calls the tool. */
const calling = (thoughts: readonly object[]) =>
  completes([...thoughts, { tool_calls: [called] }], "tool_calls");

describe("llm-gateway with Mistral", () => {
  it("sends no field that Mistral does not know, ids of nine letters or digits, and names of tools", async () => {
    const { error, requests } = await play("mistral", done);
    expect(error).to.equal(undefined);
    const { messages, ...rest } = bodyOf(requests[0]);
    expect(Object.keys(rest).toSorted()).to.deep.equal(["model", "stream", "tools"]);
    const id = /"id":"([A-Za-z\d]{9})"/u.exec(JSON.stringify(messages))?.[1];
    const call = { id, type: "function", function: { name: "kubernetes__pods_list", arguments: "{}" } };
    expect(messages).to.deep.equal([
      { role: "system", content: "Be brief." },
      { role: "user", content: "go" },
      { role: "assistant", content: "", tool_calls: [call] },
      { role: "tool", content: "none", tool_call_id: id, name: "kubernetes__pods_list" },
      { role: "assistant", content: "OK." },
      { role: "user", content: "and now?" },
    ]);
    expect(requests[0]?.path).to.equal("/chat/completions");
  });

  it("keeps Mistral's own ids, and reads its thoughts, whole calls and usage", async () => {
    const { chunks, thinking } = await play("mistral", (reply) => {
      reply.data(completion({ role: "assistant", content: "" }));
      reply.data(completion({ content: [{ type: "thinking", thinking: [{ type: "text", text: "hm" }] }] }));
      const usage = { prompt_tokens: 10, completion_tokens: 4, total_tokens: 14 };
      const calls = ["D681PevKs", "D681PevKt"].map((id, index) => ({ ...called, id, index }));
      reply.data(completion({ content: "", tool_calls: calls }, "tool_calls", { usage }));
      reply.raw("data: [DONE]\n\n");
      reply.end();
    });
    expect(thinking).to.equal("hm");
    expect(contentsOf(chunks, "toolCall")).to.have.length(2);
    expect(contentsOf(chunks, "usage")).to.deep.equal([usageOf(10, 4, 0)]);
    expect(stateOf(chunks)).to.have.length(0);
    const own = [{ ...toolCalls[0], id: "D681PevKs", name: "a.b", arguments: "{}" }];
    const messages = [message("user", "go"), message("assistant", "", { toolCalls: own })];
    const { requests } = await play("mistral", done, { messages });
    expect(JSON.stringify(bodyOf(requests[0]))).to.contain('"id":"D681PevKs"');
  });

  it("reports Mistral's own form of errors", async () => {
    const detail = [{ type: "extra_forbidden", loc: ["body", "x"], msg: "Extra inputs are not permitted" }];
    for (const body of [{ object: "error", message: { detail } }, { detail }]) {
      const { error } = await play("mistral", (reply) => reply.fail(422, body));
      expect(error).to.deep.include({ code: "invalid_request", retryable: false });
      expect(error?.message).to.contain("Extra inputs are not permitted");
    }
  });
});

describe("llm-gateway with Groq", () => {
  it("sends no reasoning back, and asks models that think aloud for separate thoughts", async () => {
    for (const model of ["qwen/qwen3-32b", "openai/gpt-oss-120b"]) {
      const { requests, chunks, thinking } = await play("groq", calling([{ reasoning: "hm" }]), {
        config: { model },
      });
      expect(thinking).to.equal("hm");
      expect(stateOf(chunks)).to.have.length(0);
      const isAsked = bodyOf(requests[0])["reasoning_format"] === "parsed";
      expect(isAsked).to.equal(model.startsWith("qwen"));
    }
  });

  it("repeats a request without the parameter if the model refuses it", async () => {
    const refuse: SseHandler = (reply) =>
      reply.fail(400, {
        error: { message: "reasoning_format is not supported", type: "invalid_request_error" },
      });
    const { text, requests } = await play("groq", [refuse, done], { config: { model: "qwen/qwen3-8b" } });
    expect(text).to.equal("done");
    expect(bodyOf(requests[1])).not.to.have.property("reasoning_format");
  });

  it("reads usage and errors in x_groq, and retries an invalid tool call", async () => {
    const { chunks } = await play("groq", (reply) => {
      reply.data(completion({ role: "assistant", content: "hi" }));
      reply.data(completion({}, "stop", { x_groq: { id: "req_1", usage: OPENAI_USAGE } }));
      reply.raw("data: [DONE]\n\n");
      reply.end();
    });
    expect(contentsOf(chunks, "usage")).to.deep.equal([usageOf(100, 20, 10, { cachedInputTokens: 40 })]);
    const late = await play("groq", (reply) => {
      reply.data(completion({ content: "hi" }));
      reply.data(completion({}, null, { x_groq: { id: "req_1", error: "over capacity" } }));
      reply.end();
    });
    expect(late.error?.message).to.contain("over capacity");
    const invalid = {
      message: "Failed to call a function",
      code: "tool_use_failed",
      failed_generation: "<x>",
    };
    const again = await play("groq", [(reply) => reply.fail(400, { error: invalid }), done]);
    expect(again).to.include({ text: "done", error: undefined });
  });
});

describe("llm-gateway with DeepSeek", () => {
  it("sends the reasoning of every round back, and empty reasoning for calls without", async () => {
    const first = await play(
      "deepseek",
      calling([{ reasoning_content: "I " }, { reasoning_content: "think" }]),
    );
    const { requests } = await play("deepseek", done, { messages: conversation(stateOf(first.chunks)) });
    expect(JSON.stringify(bodyOf(requests[0])["messages"])).to.contain('"reasoning_content":"I think"');
    const without = await play("deepseek", done);
    expect(JSON.stringify(bodyOf(without.requests[0])["messages"])).to.contain('"reasoning_content":""');
  });

  it("sends none after a refusal", async () => {
    const refuse: SseHandler = (reply) =>
      reply.fail(400, { error: { message: "reasoning_content is not allowed" } });
    const { text, requests } = await play("deepseek", [refuse, done]);
    expect(text).to.equal("done");
    expect(JSON.stringify(requests[1]?.body)).not.to.contain("reasoning_content");
  });

  it("waits while DeepSeek keeps the connection alive, and reports its own ends", async () => {
    const { text } = await play("deepseek", (reply, request) => {
      reply.raw("\n\n: keep-alive\n\n\n");
      return done(reply, request);
    });
    expect(text).to.equal("done");
    const { error } = await play("deepseek", (reply) => {
      reply.data(completion({ content: "hi" }));
      reply.data(completion({}, "insufficient_system_resource"));
      reply.end();
    });
    expect(error).to.deep.include({ code: "partial_stream_error", retryable: true });
    const unpaid = await play("deepseek", (reply) =>
      reply.fail(402, {
        error: { message: "Insufficient Balance", type: "unknown_error", code: "invalid_request_error" },
      }),
    );
    expect(unpaid.error).to.deep.include({ code: "credentials", retryable: false });
  });
});

describe("llm-gateway with OpenRouter", () => {
  it("sends the details of reasoning back unchanged, put together from their pieces", async () => {
    const piece = (detail: object) => ({
      reasoning_details: [{ type: "reasoning.text", index: 0, ...detail }],
    });
    const first = await play(
      "openrouter",
      calling([
        { reasoning: "I ", ...piece({ text: "I ", format: "anthropic-claude-v1" }) },
        piece({ text: "think", signature: null }),
        piece({ signature: "sig-1" }),
        { reasoning_details: [{ type: "reasoning.encrypted", index: 1, data: "abc", id: "rs_1" }] },
      ]),
    );
    expect(first.thinking).to.equal("I think");
    const { requests } = await play("openrouter", done, { messages: conversation(stateOf(first.chunks)) });
    const { messages } = bodyOf(requests[0]);
    const text = {
      type: "reasoning.text",
      index: 0,
      text: "I think",
      format: "anthropic-claude-v1",
      signature: "sig-1",
    };
    const sealed = { type: "reasoning.encrypted", index: 1, data: "abc", id: "rs_1" };
    expect(Array.isArray(messages) ? messages[2] : undefined).to.deep.include({
      reasoning_details: [text, sealed],
    });
    expect(JSON.stringify(messages)).not.to.contain("reasoning_content");
  });

  it("ignores comments and sends no headers about this application", async () => {
    const { text, requests } = await play("openrouter", (reply, request) => {
      reply.raw(": OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n");
      return done(reply, request);
    });
    expect(text).to.equal("done");
    expect(requests[0]?.headers).not.to.have.any.keys("http-referer", "x-title", "x-openrouter-title");
  });

  it("says what the provider behind it said", async () => {
    const raw = JSON.stringify({ error: { message: "Quota exceeded for this model" } });
    const metadata = { raw, provider_name: "Google" };
    const { error } = await play("openrouter", (reply) =>
      reply.fail(400, { error: { code: 400, message: "Provider returned error", metadata } }),
    );
    expect(error?.message).to.contain("Provider returned error (Google: Quota exceeded for this model)");
  });

  it("reads errors in the stream by their status", async () => {
    const failing =
      (code: number, text: string, rest = {}): SseHandler =>
      (reply) => {
        const error = { code, message: "Provider returned error", ...rest };
        if (text !== "") reply.data(completion({ content: text }));
        reply.data(completion({ content: "" }, "error", { error }));
        reply.end();
      };
    const limited = await play("openrouter", failing(429, "", { metadata: { raw: "slow down" } }));
    expect(limited.error).to.deep.include({ code: "max_retries", retryable: true });
    expect(limited.error?.message).to.contain("rate_limited").and.to.contain("slow down");
    expect(limited.requests).to.have.length(3);
    const unpaid = await play("openrouter", failing(402, ""));
    expect(unpaid.error).to.deep.include({ code: "credentials", retryable: false });
    const late = await play("openrouter", failing(502, "hi"));
    expect(late.error).to.deep.include({ code: "partial_stream_error", retryable: true });
    const flagged = await play("openrouter", (reply) =>
      reply.fail(403, { error: { code: 403, message: "flagged", metadata: { reasons: ["violence"] } } }),
    );
    expect(flagged.error).to.deep.include({ code: "content_blocked", retryable: false });
    expect(flagged.error?.message).to.contain("violence");
  });
});
