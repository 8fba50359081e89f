import { expect } from "chai";
import { openSseServer, type SseHandler } from "../../../test/support/sse-server.ts";
import { openGateway } from "./open-gateway.ts";
import { PODS_TOOL, callsTool, chatRequest, completion, messageStart, messageStop, named } from "./wire.ts";

const NAME = "kubernetes__pods_list";

interface Piece {
  readonly index?: number | null | undefined;
  readonly id?: string | null | undefined;
  readonly name?: string | null;
  readonly args?: unknown;
}

async function ask(provider: string, path: string, handler: SseHandler) {
  await using server = await openSseServer(handler);
  await using gateway = await openGateway();
  const request = { tools: [PODS_TOOL] };
  const answer = await gateway.ask(chatRequest(provider, `${server.url}${path}`, request));
  const calls = answer.chunks.flatMap(({ content }) =>
    content?.$case === "toolCall" ? [content.value] : [],
  );
  return { ...answer, calls, requests: server.requests };
}

/** The calls of a chat completion that sends these pieces. */
async function join(pieces: readonly Piece[], provider = "openai") {
  return ask(provider, "/v1", (reply) => {
    for (const { index, id, name, args } of pieces) {
      reply.data(completion({ tool_calls: [{ index, id, function: { name, arguments: args } }] }));
    }
    reply.data(completion({}, "tool_calls"));
    reply.raw("data: [DONE]\n\n");
    reply.end();
  });
}

const A = '{"namespace":"a"}';
const B = '{"namespace":"b"}';
const BEGIN = '{"namespace":';

describe("llm-gateway with the pieces of tool calls", () => {
  const call = (args: unknown, index?: number | null, id?: string | null): Piece => ({
    index,
    id,
    name: NAME,
    args,
  });
  const more = (args: unknown, index?: number): Piece => ({ index, args });
  const one = (args: unknown, expected: string) => [[call(args, 0, "x")], [expected]] as const;
  const cases: Readonly<Record<string, readonly [readonly Piece[], readonly string[]]>> = {
    "of two indexes with one id": [
      [call(A, 0, "call_0"), call(B, 1, "call_0")],
      [A, B],
    ],
    "of two indexes with one id, mixed": [
      [call(BEGIN, 0, "call_0"), call(BEGIN, 1, "call_0"), more('"a"}', 0), more('"b"}', 1)],
      [A, B],
    ],
    "of two ids with one index": [
      [call(A, 0, "x"), call(BEGIN, 0, "y"), more('"b"}', 0)],
      [A, B],
    ],
    "of one index and no ids": [
      [call(A, 0), call(B, 0)],
      [A, B],
    ],
    "without ids and indexes": [
      [call(BEGIN), more('"a"}'), call({ namespace: "b" })],
      [A, B],
    ],
    "without indexes, with one id": [
      [call(BEGIN, undefined, "x"), { id: "x", args: '"a"}' }, call(B, undefined, "y")],
      [A, B],
    ],
    "whose index grows with each piece": [[call(BEGIN, 0, "x"), { index: 1, id: "x", args: '"a"}' }], [A]],
    "with a new id and an empty name in each piece": [
      [call(BEGIN, 0, "x"), { index: 0, id: "z", name: "", args: '"a"}' }, call(B, 1, "y")],
      [A, B],
    ],
    "with nulls": [[call(null, 0, "x"), { index: 0, id: null, name: null, args: A }], [A]],
    "with an empty object before the arguments": [[call("{}", 0, "x"), more(A, 0)], [A]],
    "with the name and the id repeated": [[call("{}", 0, "x"), call(A, 0, "x")], [A]],
    "with null before the arguments": [[call("null", 0, "x"), more(A, 0)], [A]],
    "with the arguments twice": [[call(A, 0, "x"), more(A, 0)], [A]],
    "with an empty object after the arguments": [[call(A, 0, "x"), more("{}", 0)], [A]],
    "with encoded arguments": one(JSON.stringify(A), A),
    "with arguments encoded twice": one(JSON.stringify(JSON.stringify(A)), A),
    "with a fence around the arguments": one(`\`\`\`json\n${A}\n\`\`\``, A),
    "with a sentence around the arguments": one(`I call it with ${A}.`, A),
    "with an empty list for no arguments": one("[]", "{}"),
    "with the arguments alone in a list": one(`[${A}]`, A),
    "with a line break in a text": one('{"namespace":"a\nb"}', String.raw`{"namespace":"a\nb"}`),
    "with no arguments at all": one("null", "{}"),
    "with two different objects, which only the model can choose from": [
      [call(A, 0, "x"), more(B, 0)],
      [A + B],
    ],
    "with numbers that a double would round": one(
      ' {"n":1764163864123456789,"z":12345678901234567890123}',
      '{"n":1764163864123456789,"z":12345678901234567890123}',
    ),
  };
  for (const [what, [pieces, expected]] of Object.entries(cases)) {
    it(`reads calls ${what}`, async () => {
      // OpenRouter's chunks go through a rewriting of their own.
      for (const provider of ["openai", "openrouter"]) {
        const { calls, error } = await join(pieces, provider);
        expect(error, provider).to.equal(undefined);
        expect(calls.map(({ arguments: json }) => json)).to.deep.equal(expected);
        expect(new Set(calls.map(({ callId }) => callId)).size).to.equal(expected.length);
        expect(new Set(calls.map(({ name }) => name))).to.deep.equal(new Set([PODS_TOOL.name]));
      }
    });
  }

  it("keeps the digits of arguments that come as a value", async () => {
    const { calls } = await ask("openai", "/v1", (reply) => {
      const piece = `{"index":0,"id":"x","function":{"name":"${NAME}","arguments":{"n":1764163864123456789}}}`;
      reply.raw(`data: {"choices":[{"index":0,"delta":{"tool_calls":[${piece}]}}]}\n\n`);
      reply.data(completion({}, "tool_calls"));
      reply.end();
    });
    expect(calls.map(({ arguments: json }) => json)).to.deep.equal(['{"n":1764163864123456789}']);
  });

  it("reads OpenAI's former way to make one call", async () => {
    const { calls } = await ask("openai", "/v1", (reply) => {
      reply.data(completion({ function_call: { name: NAME, arguments: '{"namespace":' } }));
      reply.data(completion({ function_call: { arguments: '"a"}' } }));
      reply.data(completion({}, "function_call"));
      reply.end();
    });
    expect(calls.map(({ name, arguments: json }) => [name, json])).to.deep.equal([[PODS_TOOL.name, A]]);
  });

  it("reads two calls of the Responses API with one id, from deltas, closing events and the last event", async () => {
    const item = (args: string) => ({
      type: "function_call",
      id: "fc_1",
      call_id: "call_0",
      name: NAME,
      arguments: args,
    });
    for (const how of ["deltas", "items", "end"]) {
      const { calls, error } = await ask("openai", "/v1/responses", (reply) => {
        for (const [output_index, args] of [A, B].entries()) {
          if (how === "end") continue;
          reply.event(named("response.output_item.added", { output_index, item: item("") }));
          if (how === "deltas") {
            reply.event(
              named("response.function_call_arguments.delta", { output_index, item_id: "fc_1", delta: args }),
            );
          } else {
            reply.event(named("response.output_item.done", { output_index, item: item(args) }));
          }
        }
        const output = [item(A), item(B)];
        reply.event(named("response.completed", { response: { id: "r", status: "completed", output } }));
        reply.end();
      });
      expect(error).to.equal(undefined);
      expect(
        calls.map(({ arguments: json }) => json),
        how,
      ).to.deep.equal([A, B]);
      expect(new Set(calls.map(({ callId }) => callId)).size).to.equal(2);
    }
  });

  it("repairs the arguments and ids of Claude's calls alike", async () => {
    const { calls } = await ask("anthropic", "", (reply) => {
      messageStart(reply);
      callsTool(reply, 0, "toolu_1", NAME, `{}${A}`);
      callsTool(reply, 1, "toolu_1", NAME, JSON.stringify(B));
      messageStop(reply, "tool_use");
    });
    expect(calls.map(({ arguments: json }) => json)).to.deep.equal([A, B]);
    expect(new Set(calls.map(({ callId }) => callId)).size).to.equal(2);
  });

  for (const written of [
    `${NAME}<|channel|>commentary`,
    `<|tool_call|>${NAME}`,
    `functions.${NAME}`,
    `functions.${NAME}:0`,
    `${NAME}<|end|>`,
    `<|channel|>commentary to=functions.${NAME}`,
    `${NAME}<｜tool▁sep｜>`,
    "kubernetes.pods_list",
    `default_api.${NAME}`,
  ]) {
    it(`knows the tool that is called ${written}`, async () => {
      const { calls } = await join([{ index: 0, id: "x", name: written, args: A }]);
      expect(calls.map(({ name }) => name)).to.deep.equal([PODS_TOOL.name]);
    });
  }

  it("leaves a name that fits no tool to the hint", async () => {
    const { calls } = await join([{ index: 0, id: "x", name: "pods_list<|channel|>commentary", args: A }]);
    expect(calls.map(({ name }) => name)).to.deep.equal(["pods_list<|channel|>commentary"]);
  });
});
