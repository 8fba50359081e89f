import { expect } from "chai";
import { isKeyless } from "#shared/agent-config/provider-keys.ts";
import { PROVIDER_TYPES } from "#shared/contracts/resolved-chain.ts";
import { isObject } from "#shared/exact-json.ts";
import { EVENT_STREAM } from "../../../test/support/event-stream.ts";
import { openSseServer } from "../../../test/support/sse-server.ts";
import { ADAPTERS, type Adapter } from "./adapters.ts";
import { message } from "./open-gateway.ts";
import { answers, every, firstPart, openStage, sends } from "./open-stage.ts";
import { PODS_TOOL, contentsOf } from "./wire.ts";
import type { Piece } from "./wire-formats.ts";

const NOW_TOOL = { name: "clock.now", description: "Says the time", parametersSchema: "{}" };
/** A double would round its number. */
const ARGUMENTS = '{"namespace":"größe 😀","n":1764163864123456789}';
const PIECES: readonly Piece[] = [
  { thinking: "Let me " },
  { thinking: "see." },
  { text: "It is " },
  { text: "down 💾." },
  { call: { name: PODS_TOOL.name, arguments: ARGUMENTS } },
  { call: { name: NOW_TOOL.name, arguments: "{}" } },
];
const WELL: readonly Piece[] = [{ text: "well" }];
const request = { tools: [PODS_TOOL, NOW_TOOL] };

/** A tool whose schema no API takes as it is, and one that accepts no arguments. */
const ODD_TOOLS = [
  {
    name: "odata.find",
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

/** The value at a path of a request's body. */
function valueAt(body: unknown, path: readonly string[]): unknown {
  return path.reduce((value: unknown, key) => (isObject(value) ? value[key] : undefined), body);
}

describe("the answers of every provider", () => {
  const resources = new AsyncDisposableStack();
  let stage: Awaited<ReturnType<typeof openStage>>;
  before(async () => {
    stage = resources.use(await openStage());
  });
  after(() => resources.disposeAsync());

  it("come from an adapter of each provider type but the scripted one", () => {
    const types = new Set(Object.values(ADAPTERS).map(({ type }) => type));
    expect([...types, "scripted"]).to.have.members([...PROVIDER_TYPES]);
  });

  const readWhole = async (adapter: Adapter, inBytes: boolean) => {
    const frames = adapter.format(PIECES);
    const bytes = Buffer.concat(frames.map(({ raw }) => Buffer.from(raw)));
    const pieces = inBytes ? [...bytes].map((byte) => ({ raw: Buffer.of(byte) })) : frames;
    const { chunks, text, thinking, error, requests } = await stage.play(adapter, answers(pieces), {
      request,
    });
    expect({ text, thinking, error }).to.deep.equal({
      text: "It is down 💾.",
      thinking: "Let me see.",
      error: undefined,
    });
    const calls = chunks.flatMap(({ content }) => (content?.$case === "toolCall" ? [content.value] : []));
    expect(calls.map(({ name, arguments: json }) => [name, json])).to.deep.equal([
      [PODS_TOOL.name, ARGUMENTS],
      [NOW_TOOL.name, "{}"],
    ]);
    expect(new Set(calls.map(({ callId }) => callId)).size).to.equal(2);
    expect(contentsOf(chunks, "usage")).to.deep.equal([adapter.usage]);
    const named = chunks.map(({ answeredBy }) => answeredBy).filter((model) => model !== undefined);
    expect([named, chunks.at(-1)?.answeredBy]).to.deep.equal([[adapter.answeredBy], adapter.answeredBy]);
    const kinds = chunks.map(({ content }) => content?.$case).filter((kind) => kind !== "providerState");
    expect([...new Set(kinds)]).to.deep.equal(["thinking", "text", "toolCall", "usage", undefined]);
    expect(requests).to.have.length(1);
  };

  it("are thinking, text and calls with whole arguments, in their order, then the usage", () =>
    every((adapter) => readWhole(adapter, false)));

  it("are the same when they arrive in pieces of one byte", () =>
    every((adapter) => readWhole(adapter, true)));

  it("are passed on before they end", () =>
    every(async (adapter) => {
      const frames = adapter.format([{ text: "first" }, { text: " second" }]);
      const first = firstPart(frames);
      const { promise: seen, resolve: sawFirst } = Promise.withResolvers<void>();
      const { call } = stage.begin(adapter, async (reply, received) => {
        void sends(first)(reply, received);
        await seen; // the rest is sent only after the beginning has arrived
        void answers(frames.slice(first.length))(reply, received);
      });
      const texts: unknown[] = [];
      for await (const chunk of call) {
        texts.push(...contentsOf([Object.assign({ content: undefined, isFinal: false }, chunk)], "text"));
        sawFirst();
      }
      expect(texts).to.deep.equal([{ content: "first" }, { content: " second" }]);
    }));

  it("name the model that has answered also if they break off, and survive any other name", () =>
    every(async (adapter) => {
      const whole = adapter.format(WELL);
      const failure = { raw: adapter.failure("broken", "failed") };
      const broken = await stage.play(adapter, answers([...firstPart(whole), failure]));
      // Bedrock names it at the end.
      const named = adapter.type === "bedrock" ? undefined : adapter.answeredBy;
      expect([broken.error?.message.includes("broken"), broken.chunks.at(-1)?.answeredBy]).to.deep.equal([
        true,
        named,
      ]);
      if (adapter.contentType === EVENT_STREAM) return;
      for (const [name, known] of [
        ["7", undefined],
        ["null", undefined],
        ['{"a":[]}', undefined],
        ['""', undefined],
        [JSON.stringify("x".repeat(1_000)), "x".repeat(200)],
      ] as const) {
        const odd = whole.map(({ raw }) => ({
          raw: String(raw).replaceAll(JSON.stringify(adapter.answeredBy), () => name),
        }));
        const { text, error, chunks } = await stage.play(adapter, answers(odd));
        expect([text, error, chunks.at(-1)?.answeredBy], name).to.deep.equal(["well", undefined, known]);
      }
    }));

  it("say that they were cut off by the limit of output tokens", () =>
    every(async (adapter) => {
      const { text, error, chunks } = await stage.play(adapter, answers(adapter.format(WELL, "limit")));
      expect(error).to.equal(undefined);
      expect(text).to.match(/^well\n\n\[The answer ends here/u);
      expect(contentsOf(chunks, "usage")).to.deep.equal([adapter.usage]);
    }));

  it("fail, to be tried again, if thinking has used up the output tokens", () =>
    every(async (adapter) => {
      const { error } = await stage.play(adapter, answers(adapter.format([{ thinking: "hm" }], "limit")));
      expect(error).to.deep.include({ code: "provider_error", retryable: true });
    }));

  it("have no call whose arguments were cut off by the limit", () =>
    every(
      async (adapter) => {
        const call = { name: PODS_TOOL.name, arguments: '{"namespace":"a' };
        const { chunks, error } = await stage.play(adapter, answers(adapter.format([{ call }], "limit")), {
          request,
        });
        expect(contentsOf(chunks, "toolCall")).to.deep.equal([]);
        expect(error).to.deep.include({ retryable: true });
        expect(error?.message).to.contain("in the middle of a tool call");
      },
      // Gemini sends only whole calls.
      Object.entries(ADAPTERS).filter(([name]) => !name.startsWith("Gemini")),
    ));

  it("end with content_blocked if they are blocked, and keep what was said", () =>
    every(async (adapter) => {
      const { text, error, requests } = await stage.play(adapter, answers(adapter.format(WELL, "blocked")));
      expect(text).to.equal("well");
      expect(error).to.deep.include({ code: "content_blocked", retryable: false });
      expect(requests).to.have.length(1);
    }));

  it("report what was charged of an answer that broke off, if it said so at its beginning", () =>
    every(async (adapter) => {
      const begun = [
        ...firstPart(adapter.format(WELL)),
        { raw: adapter.failure("Overloaded", "overloaded") },
      ];
      const { chunks, error } = await stage.play(adapter, answers(begun));
      expect(error?.code).to.equal("partial_stream_error");
      const { earlyUsage } = adapter;
      expect(contentsOf(chunks, "usage")).to.deep.equal(earlyUsage === undefined ? [] : [earlyUsage]);
    }));

  it("are requested with the provider's limit for an answer, and without one if it has none", () =>
    every(async (adapter) => {
      const done = answers(adapter.format(WELL));
      for (const maxOutputTokens of [700, 0]) {
        const { requests } = await stage.play(adapter, done, { config: { maxOutputTokens } });
        const limit = valueAt(requests[0]?.body, adapter.limit);
        if (maxOutputTokens > 0) expect(limit).to.equal(maxOutputTokens);
        else expect(limit).not.to.equal(700);
      }
    }));

  it("are requested without a key where none is named, as the check of the configuration allows", () =>
    every(
      async (adapter) => {
        const { text, requests } = await stage.play(adapter, answers(adapter.format(WELL)), {
          config: { apiKeyEnv: "", credentialsEnv: "" },
        });
        expect(text).to.equal("well");
        expect(requests[0]?.headers)
          .to.include.keys("content-type")
          .and.not.to.have.any.keys("authorization", "x-api-key", "api-key", "x-goog-api-key");
      },
      Object.entries(ADAPTERS).filter(([, { type }]) => isKeyless({ type, base_url: "http://x" })),
    ));

  it("are requested with the digits of earlier arguments", () =>
    every(
      async (adapter) => {
        const numbers = '"n":1764163864123456789,"z":1.2345678901234567890123';
        const messages = [
          message("user", "go"),
          message("assistant", "", {
            toolCalls: [{ id: "call_1", name: PODS_TOOL.name, arguments: `{${numbers}}` }],
          }),
          message("tool", "none", { toolCallId: "call_1", toolName: PODS_TOOL.name }),
        ];
        const { requests } = await stage.play(adapter, answers(adapter.format(WELL)), {
          request: { messages, tools: [PODS_TOOL] },
        });
        expect(requests[0]?.text.replaceAll("\\", "")).to.contain(numbers);
      },
      // Anthropic's SDK for Vertex AI parses the request and writes it again, which rounds them.
      Object.entries(ADAPTERS).filter(([name]) => name !== "Claude on Vertex AI"),
    ));

  it("call tools by their own names, whatever their schemas had to become to be offered", () =>
    every(
      async (adapter) => {
        const own = '{"$filter":"x","in list":[{"a b":7}]}';
        const sent = '{"filter":"x","in_list":[{"a_b":7}]}';
        const messages = [
          message("user", "go"),
          message("assistant", "", { toolCalls: [{ id: "call-1", name: "odata.find", arguments: own }] }),
          message("tool", "nothing", { toolCallId: "call-1", toolName: "odata.find" }),
        ];
        const frames = adapter.format([{ call: { name: "odata.find", arguments: sent } }]);
        const { chunks, error, requests } = await stage.play(adapter, answers(frames), {
          request: { tools: ODD_TOOLS, messages },
        });
        expect(error).to.equal(undefined);
        expect(contentsOf(chunks, "toolCall")[0]).to.include({ name: "odata.find", arguments: own });
        expect(contentsOf(chunks, "warning")).to.deep.equal([
          {
            code: "tools_left_out",
            message: "tools that are not offered to the model: odata.never (its schema accepts no arguments)",
          },
        ]);
        const body = requests[0]?.text.replaceAll("\\", "") ?? "";
        expect(body)
          .not.to.contain('"$filter":')
          .and.not.to.contain("odata__never")
          .and.not.to.contain("$ref");
        expect(body).to.contain(sent);
        expect(body).to.contain("The arguments are one of these sets: (1) required filter; optional in_list");
      },
      // These two take the names as they are.
      Object.entries(ADAPTERS).filter(([, { type }]) => type !== "xai" && type !== "azure"),
    ));

  it("come from fakes that refuse what their provider would refuse", async () => {
    await using server = await openSseServer((reply) => reply.end());
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
