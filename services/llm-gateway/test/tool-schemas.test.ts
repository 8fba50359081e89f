import { expect } from "chai";
import { geminiChunk, openGeminiServer } from "../../../test/support/gemini-server.ts";
import { openSseServer, type SseHandler, type SseServer } from "../../../test/support/sse-server.ts";
import { geminiRequest, message, openGateway } from "./open-gateway.ts";
import { callsTool, chatRequest, completes, contentsOf, messageStart, messageStop, named } from "./wire.ts";

const NAME = "odata.find";
const TOOLS = [
  {
    name: NAME,
    description: "Finds.",
    parametersSchema: JSON.stringify({
      properties: {
        $filter: { type: "string" },
        "in list": { type: "array", items: { $ref: "#/definitions/T" } },
      },
      oneOf: [{ required: ["$filter"] }, { required: ["in list"] }],
      definitions: {
        T: { title: "T", type: "object", properties: { "a b": { type: ["integer", "null"] } } },
      },
    }),
  },
  { name: "odata.never", description: "Never.", parametersSchema: "false" },
];
const OWN = '{"$filter":"x","in list":[{"a b":7}]}';
const SENT = '{"filter":"x","in_list":[{"a_b":7}]}';

const HISTORY = [
  message("user", "go"),
  message("assistant", "", { toolCalls: [{ id: "call-1", name: NAME, arguments: OWN }] }),
  message("tool", "nothing", { toolCallId: "call-1", toolName: NAME }),
];

/** How each API calls the tool with the names that it was told, and the request for it at an address. */
const ANSWERS: Readonly<Record<string, SseHandler>> = {
  Anthropic: (reply) => {
    messageStart(reply);
    callsTool(reply, 0, "toolu_9", "odata__find", SENT);
    messageStop(reply, "tool_use");
  },
  "chat completions": completes(
    [
      {
        tool_calls: [
          { index: 0, id: "c9", type: "function", function: { name: "odata__find", arguments: SENT } },
        ],
      },
    ],
    "tool_calls",
  ),
  Responses: (reply) => {
    const item = { type: "function_call", id: "fc_9", call_id: "c9", name: "odata__find", arguments: SENT };
    reply.event(named("response.output_item.added", { output_index: 0, item: { ...item, arguments: "" } }));
    reply.event(
      named("response.function_call_arguments.delta", { item_id: "fc_9", output_index: 0, delta: SENT }),
    );
    reply.event(named("response.output_item.done", { output_index: 0, item }));
    reply.event(named("response.completed", { response: { id: "r", status: "completed", output: [item] } }));
    reply.end();
  },
};
const PLACES: Readonly<Record<string, readonly [provider: string, path: string]>> = {
  Anthropic: ["anthropic", ""],
  "chat completions": ["openai", "/v1"],
  Responses: ["openai", "/v1/responses"],
};

function check(server: SseServer, { chunks, error }: Awaited<ReturnType<typeof ask>>): void {
  expect(error).to.equal(undefined);
  const [call] = contentsOf(chunks, "toolCall");
  expect(call).to.include({ name: NAME, arguments: OWN });
  expect(contentsOf(chunks, "warning")).to.deep.equal([
    {
      code: "tools_left_out",
      message: "tools that are not offered to the model: odata.never (its schema accepts no arguments)",
    },
  ]);
  const body = JSON.stringify(server.requests[0]?.body);
  expect(body).not.to.contain('"$filter":').and.not.to.contain("odata__never").and.not.to.contain("$ref");
  expect(body).to.satisfy(
    (text: string) => text.includes(SENT) || text.includes(JSON.stringify(SENT).slice(1, -1)),
  );
  expect(body).to.contain("The arguments are one of these sets: (1) required filter; optional in_list");
}

async function ask(request: Parameters<Awaited<ReturnType<typeof openGateway>>["ask"]>[0]) {
  await using gateway = await openGateway();
  const answer = await gateway.ask(request);
  return answer;
}

describe("llm-gateway with tools that a provider would refuse", () => {
  for (const [api, handler] of Object.entries(ANSWERS)) {
    it(`offers what can be offered to ${api}, and calls tools by their own names`, async () => {
      await using server = await openSseServer(handler);
      const [provider, path] = PLACES[api] ?? ["", ""];
      const answer = await ask(
        chatRequest(provider, `${server.url}${path}`, { tools: TOOLS, messages: HISTORY }),
      );
      check(server, answer);
    });
  }

  it("offers what can be offered to Gemini, and calls tools by their own names", async () => {
    await using server = await openGeminiServer((reply) => {
      const args: unknown = JSON.parse(SENT);
      reply.chunk(geminiChunk([{ functionCall: { name: "odata__find", args } }], { finishReason: "STOP" }));
      reply.end();
    });
    check(server, await ask(geminiRequest(server.url, { tools: TOOLS, messages: HISTORY })));
  });

  it("is checked by a provider that refuses: this test's own fake", async () => {
    await using server = await openSseServer(completes([{ content: "fine" }]));
    const response = await fetch(`${server.url}/v1/chat/completions`, {
      method: "POST",
      body: JSON.stringify({
        tools: [{ type: "function", function: { name: "a", parameters: { type: "array" } } }],
      }),
    });
    expect(response.status).to.equal(400);
    expect(await response.text()).to.contain("Invalid schema for function 'a'");
  });
});
