import { expect } from "chai";
import type { SseHandler } from "../../../test/support/sse-server.ts";
import {
  AWS_KEYS,
  BEDROCK_MODEL,
  delta,
  done,
  playBedrock,
  says,
  sends,
  start,
  stop,
  toolStart,
  usage,
} from "./bedrock-wire.ts";
import { message } from "./open-gateway.ts";
import { PODS_TOOL, contentsOf, stateOf, usageOf } from "./wire.ts";

describe("llm-gateway with Bedrock", () => {
  it("signs its request and reads text and usage, cached input included", async () => {
    const { text, chunks, error, requests } = await playBedrock(done);
    expect({ text, error }).to.deep.equal({ text: "done", error: undefined });
    expect(contentsOf(chunks, "usage")).to.deep.equal([
      usageOf(40, 5, 0, { cachedInputTokens: 20, cacheWriteTokens: 10 }),
    ]);
    const [request] = requests;
    expect(request?.path).to.equal(`/model/${encodeURIComponent(BEDROCK_MODEL)}/converse-stream`);
    expect(request?.headers.authorization).to.match(
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/us-east-1\/bedrock\/aws4_request, SignedHeaders=[\w;-]*host[\w;-]*, Signature=[\da-f]{64}$/u,
    );
    expect(request?.headers).not.to.have.any.keys("x-amz-security-token");
    expect(request?.body).to.deep.equal({
      messages: [{ role: "user", content: [{ text: "What is wrong with pod web-1?" }] }],
      inferenceConfig: { maxTokens: 32_000 },
      additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens: 16_000 } },
    });
  });

  it("sends the session token of temporary keys, or a Bedrock API key alone", async () => {
    const temporary = await playBedrock(done, {
      config: { settings: { ...AWS_KEYS, session_token_env: "AWS_SESSION" } },
    });
    expect(temporary.requests[0]?.headers["x-amz-security-token"]).to.equal("session-1");
    const keyed = await playBedrock(done, {
      config: { apiKeyEnv: "KEY", settings: { region: "eu-west-1" } },
    });
    expect(keyed.requests[0]?.headers.authorization).to.equal("Bearer bedrock-key-1");
  });

  it("streams thoughts and parallel calls, and sends them back with their signatures", async () => {
    const { chunks, thinking } = await playBedrock(
      sends(
        start,
        delta(0, { reasoningContent: { text: "I " } }),
        delta(0, { reasoningContent: { text: "think" } }),
        delta(0, { reasoningContent: { signature: "sig-1" } }),
        delta(1, { reasoningContent: { redactedContent: Buffer.from("sealed").toString("base64") } }),
        delta(2, { text: "I look." }),
        toolStart(3, "tooluse_1"),
        delta(3, { toolUse: { input: "" } }),
        delta(3, { toolUse: { input: '{"namespace"' } }),
        toolStart(4, "tooluse_2"),
        delta(3, { toolUse: { input: ':"a"}' } }),
        stop("tool_use"),
        usage,
      ),
      { request: { tools: [PODS_TOOL] } },
    );
    expect(thinking).to.equal("I think");
    expect(contentsOf(chunks, "toolCall")).to.deep.equal([
      { callId: "tooluse_1", name: "kubernetes.pods_list", arguments: '{"namespace":"a"}' },
      { callId: "tooluse_2", name: "kubernetes.pods_list", arguments: "{}" },
    ]);
    const toolCalls = [
      { id: "tooluse_1", name: "kubernetes.pods_list", arguments: '{"namespace":"a"}' },
      { id: "tooluse_2", name: "kubernetes.pods_list", arguments: "{}" },
    ];
    const messages = [
      message("system", "Be brief."),
      message("user", "go"),
      message("assistant", "I look.", { toolCalls, providerState: stateOf(chunks) }),
      message("tool", "none", { toolCallId: "tooluse_1", toolName: "kubernetes.pods_list" }),
      message("tool", "", { toolCallId: "tooluse_2", toolName: "kubernetes.pods_list" }),
    ];
    const { requests } = await playBedrock(done, { request: { messages, tools: [PODS_TOOL] } });
    expect(requests[0]?.body).to.deep.include({
      system: [{ text: "Be brief." }],
      messages: [
        { role: "user", content: [{ text: "go" }] },
        {
          role: "assistant",
          content: [
            { reasoningContent: { reasoningText: { text: "I think", signature: "sig-1" } } },
            { reasoningContent: { redactedContent: Buffer.from("sealed").toString("base64") } },
            { text: "I look." },
            { toolUse: { toolUseId: "tooluse_1", name: "kubernetes__pods_list", input: { namespace: "a" } } },
            { toolUse: { toolUseId: "tooluse_2", name: "kubernetes__pods_list", input: {} } },
          ],
        },
        {
          role: "user",
          content: [
            { toolResult: { toolUseId: "tooluse_1", content: [{ text: "none" }] } },
            { toolResult: { toolUseId: "tooluse_2", content: [{ text: "(no output)" }] } },
          ],
        },
      ],
      toolConfig: {
        tools: [
          {
            toolSpec: {
              name: "kubernetes__pods_list",
              description: "Lists pods",
              inputSchema: { json: { type: "object", properties: { namespace: { type: "string" } } } },
            },
          },
        ],
      },
    });
    const unbound = await playBedrock(done, { request: { messages } });
    expect(JSON.stringify(unbound.requests[0]?.body)).to.contain("No longer available");
  });

  it("asks only Claude to think, and shows the thoughts of others without sending them back", async () => {
    const thinks = sends(
      start,
      delta(0, { reasoningContent: { text: "hm" } }),
      ...says("well"),
      stop("end_turn"),
    );
    const { requests, thinking, chunks } = await playBedrock(thinks, {
      config: { model: "openai.gpt-oss-120b-1:0" },
    });
    expect(requests[0]?.body).to.have.all.keys("messages");
    const limited = await playBedrock(done, {
      config: { model: "amazon.nova-pro-v1:0", maxOutputTokens: 99 },
    });
    expect(limited.requests[0]?.body).to.deep.include({ inferenceConfig: { maxTokens: 99 } });
    expect(thinking).to.equal("hm");
    expect(stateOf(chunks)).to.have.length(0);
  });

  it("repeats a request without thinking if the model refuses that", async () => {
    const refuse: SseHandler = (reply) =>
      reply.fail(400, { message: "thinking is not supported by this model" });
    const { text, requests } = await playBedrock([refuse, done]);
    expect(text).to.equal("done");
    expect(requests[1]?.body).not.to.have.any.keys("additionalModelRequestFields");
  });

  it("takes a call for complete only with messageStop, also after the usage", async () => {
    const { error, chunks, requests } = await playBedrock(sends(start, toolStart(0, "t1"), usage), {
      request: { tools: [PODS_TOOL] },
    });
    expect(error).to.deep.include({ code: "max_retries", retryable: true });
    expect(error?.message).to.contain("without messageStop");
    expect(contentsOf(chunks, "toolCall")).to.deep.equal([]);
    expect(requests).to.have.length(3);
  });

  it("reports messages that are cut, with wrong checksums and of impossible length", async () => {
    const whole = delta(0, { text: "hello" });
    const damaged = Buffer.from(whole);
    damaged.writeUInt8(damaged.readUInt8(40) ^ 1, 40);
    const huge = Buffer.from(whole);
    huge.writeUInt32BE(3_000_000_000, 0);
    for (const bytes of [whole.subarray(0, 3), whole.subarray(0, 30), damaged]) {
      const { error } = await playBedrock(sends(start, ...says("hi"), bytes));
      expect(error).to.deep.include({ code: "partial_stream_error", retryable: true });
    }
    const long = await playBedrock(sends(start, huge));
    expect(long.error?.message).to.contain("a message of 3000000000 bytes");
  });

  it("retries after a call of a tool that the model wrote wrong", async () => {
    const malformed = await playBedrock(sends(start, ...says("hi"), stop("malformed_tool_use")));
    expect(malformed.error).to.deep.include({ code: "provider_error", retryable: true });
  });

  it("names what is missing, and makes no request", async () => {
    for (const [settings, says_] of [
      [{ region: "us-east-1" }, "machine_credentials"],
      [{ ...AWS_KEYS, secret_access_key_env: "UNSET" }, "UNSET"],
      [{ ...AWS_KEYS, region: "us.evil.example/" }, "region"],
    ] as const) {
      const { error, requests } = await playBedrock(done, { config: { settings } });
      expect(error?.retryable).to.equal(false);
      expect(error?.message).to.contain(says_);
      expect(requests).to.have.length(0);
    }
  });
});
