import { expect } from "chai";
import { openSseServer, type SseHandler } from "../../../test/support/sse-server.ts";
import { message, openGateway } from "./open-gateway.ts";
import { PODS_TOOL, chatRequest, completes, contentsOf, messageStart, messageStop, says } from "./wire.ts";

const NAME = "kubernetes__pods_list";
const ARGS = '{"namespace":"a","n":1764163864123456789}';

async function ask(
  provider: string,
  path: string,
  handler: SseHandler | readonly SseHandler[],
  request: object = { tools: [PODS_TOOL] },
) {
  await using server = await openSseServer(handler);
  await using gateway = await openGateway();
  const answer = await gateway.ask(chatRequest(provider, `${server.url}${path}`, request));
  return { ...answer, requests: server.requests.length };
}

describe("llm-gateway with calls written as text", () => {
  const call = `{"name":"${NAME}","arguments":${ARGS}}`;
  for (const written of [
    `<tool_call>${call}</tool_call>`,
    `<tool_call>\n${call}`,
    `<function=${NAME}>${ARGS}</function>`,
    `[TOOL_CALLS][${call}]`,
    `[TOOL_CALLS]${NAME}[ARGS]${ARGS}`,
    `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>${NAME}\n\`\`\`json\n${ARGS}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
    `<|channel|>commentary to=functions.${NAME} <|constrain|>json<|message|>${ARGS}<|call|>`,
    `<|tool_call_begin|>functions.${NAME}:0<|tool_call_argument_begin|>${ARGS}<|tool_call_end|>`,
    `<|python_tag|>{"name":"${NAME}","parameters":${ARGS}}`,
    call,
    `{"tool":"${NAME}","args":${ARGS}}`,
    `{"function":"${NAME}","arguments":${ARGS}}`,
    `<tools>${call}</tools>`,
    `<seed:tool_call>${call}</seed:tool_call>`,
    `\`\`\`json\n${call}\n\`\`\``,
    `{"tool_calls":[{"id":"x","type":"function","function":{"name":"${NAME}","arguments":${JSON.stringify(ARGS)}}}]}`,
  ]) {
    it(`makes the call ${written.slice(0, 40)}`, async () => {
      const deltas = [written.slice(0, 3), written.slice(3, 30), written.slice(30)].map((content) => ({
        content,
      }));
      const { text, error, chunks, requests } = await ask("openai", "/v1", completes(deltas));
      expect({ text, error, requests }).to.deep.equal({ text: "", error: undefined, requests: 1 });
      const [made] = contentsOf(chunks, "toolCall");
      expect(made).to.deep.include({ name: PODS_TOOL.name, arguments: ARGS });
      expect(contentsOf(chunks, "usage")).to.have.length(1);
    });
  }

  it("makes a call at the end of an answer, and shows what comes before", async () => {
    const { text, chunks } = await ask(
      "openai",
      "/v1",
      completes([{ content: `I look.\n<tool_call>${call}</tool_call>` }]),
    );
    expect(text).to.contain("I look.");
    expect(contentsOf(chunks, "toolCall")).to.have.length(1);
  });

  it("takes no answer that ends with a call which cannot be read", async () => {
    const content = `I look.\n\n<tool_call>\n<function=${NAME}>\n<parameter=namespace>\na\n</parameter>\n</function>\n</tool_call>`;
    const { error } = await ask("openai", "/v1", completes([{ content }]));
    expect(error).to.deep.include({ code: "provider_error", retryable: true });
  });

  it("makes calls that Claude and Gemini write", async () => {
    const { chunks } = await ask("anthropic", "", (reply) => {
      messageStart(reply);
      says(reply, 0, call);
      messageStop(reply, "end_turn");
    });
    expect(contentsOf(chunks, "toolCall")).to.have.length(1);
  });

  for (const written of [
    `<tool_call>{"name":"no__such","arguments":{}}</tool_call>`,
    `<tool_call><function=${NAME}><parameter=namespace>a</parameter></function></tool_call>`,
    "<tool_call>",
    `<minimax:tool_call>\n<invoke name="${NAME}"></invoke>\n</minimax:tool_call>`,
    `<tool_code>\nprint(${NAME}())\n</tool_code>`,
    `{"name":"no__such","arguments":{}}`,
    ",namespace:default}],limit:5)}}",
    'namespace":"default"}}',
  ]) {
    it(`asks again after ${written}`, async () => {
      const answers = [completes([{ content: written }]), completes([{ content: "The disk is full." }])];
      const { text, error, chunks, requests } = await ask("openai", "/v1", answers);
      expect({ text, error, requests }).to.deep.equal({
        text: "The disk is full.",
        error: undefined,
        requests: 2,
      });
      expect(contentsOf(chunks, "toolCall")).to.deep.equal([]);
    });
  }

  it("takes no written call for a conclusion after calls", async () => {
    const messages = [
      message("user", "go"),
      message("assistant", "", { toolCalls: [{ id: "call_1", name: PODS_TOOL.name, arguments: "{}" }] }),
      message("tool", "none", { toolCallId: "call_1", toolName: PODS_TOOL.name }),
      message("user", "conclude"),
    ];
    const { error } = await ask("openai", "/v1", completes([{ content: call }]), { messages });
    expect(error).to.deep.include({ code: "max_retries", lastCode: "provider_error" });
  });

  for (const text of [
    '{"root_cause":"the disk is full","confidence":0.9}',
    '{"name":"web-1","parameters":{"replicas":3}}',
    '```json\n{"name":"web-1","phase":"Failed"}\n```',
    "[1] The node is full.\n[2] The pod was evicted.",
    `The model server logged \`<tool_call>\` and ${call}, which no parser read. Update it.`,
    'The spec is {"replicas": 3}} in the manifest, with one brace too many.',
    "<b>Disk full</b> on node-1.",
    "- evicted pods: [web-1]",
    "}\n\nThe brace above ends the quoted manifest; the cause is a full disk on node three.",
  ]) {
    it(`leaves the answer ${JSON.stringify(text.slice(0, 30))} alone`, async () => {
      const deltas = Array.from(text, (content) => ({ content }));
      const answer = await ask("openai", "/v1", completes(deltas));
      expect({ text: answer.text, error: answer.error, requests: answer.requests }).to.deep.equal({
        text,
        error: undefined,
        requests: 1,
      });
      expect(contentsOf(answer.chunks, "toolCall")).to.deep.equal([]);
    });
  }

  it("leaves all text alone where no tools are offered", async () => {
    const { text } = await ask("openai", "/v1", completes([{ content: call }]), {});
    expect(text).to.equal(call);
  });
});
