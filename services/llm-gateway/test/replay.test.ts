import { expect } from "chai";
import type { ConversationMessage } from "#shared/generated/llm/v1/llm.ts";
import { isObject } from "#shared/exact-json.ts";
import { geminiChunk, openGeminiServer } from "../../../test/support/gemini-server.ts";
import { geminiRequest, message, openGateway, type Answer } from "./open-gateway.ts";

const TURNS = 10;
const TOOL = { name: "kubernetes.get_pods", description: "", parametersSchema: "" };

/** The answer of turn n (from 0); the turns cover every kind of part that can have a signature. */
function partsOf(turn: number): object[] {
  const signature = Buffer.from(`signature ${turn}`).toString("base64");
  const call = (index: number, rest: object = {}) => ({
    functionCall: { name: "kubernetes__get_pods", args: { turn, index }, ...rest },
  });
  switch (turn % 3) {
    case 0: // Gemini 2.5: no ids; the first of parallel calls carries the signature
      return [
        { text: `turn ${turn}: ` },
        { text: "🔥" },
        { ...call(0), thoughtSignature: signature },
        call(1),
      ];
    case 1: // Gemini 3: ids, a signature with each call
      return [
        { text: `turn ${turn}`, thoughtSignature: `${signature}/text` },
        { ...call(0, { id: `fc-${turn}` }), thoughtSignature: signature },
        { ...call(1, { id: `fc-${turn}-b` }), thoughtSignature: `${signature}/b` },
      ];
    default: // an empty text part at the end
      return [{ ...call(0, { id: "" }) }, { text: "", thoughtSignature: signature }];
  }
}

/** The answer as the executor stores it, with the results of its calls. */
function stored(answer: Answer): ConversationMessage[] {
  const toolCalls = answer.chunks.flatMap(({ content }) =>
    content?.$case === "toolCall"
      ? [{ id: content.value.callId, name: content.value.name, arguments: content.value.arguments }]
      : [],
  );
  const [providerState] = answer.chunks.flatMap(({ content }) =>
    content?.$case === "providerState" ? [content.value.data] : [],
  );
  return [
    message("assistant", answer.text, { toolCalls, providerState: providerState ?? Buffer.alloc(0) }),
    ...toolCalls.map(({ id, name, arguments: json }) =>
      message("tool", `{"of":${json}}`, { toolCallId: id, toolName: name }),
    ),
  ];
}

/** Joins adjacent text parts without a signature, which are equivalent to one part. */
function merged(parts: readonly object[]): object[] {
  const result: Record<string, unknown>[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    const { text, thoughtSignature }: Record<string, unknown> = { ...part };
    if (typeof text === "string" && typeof last?.["text"] === "string" && !("thoughtSignature" in last)) {
      last["text"] += text;
      if (thoughtSignature !== undefined) last["thoughtSignature"] = thoughtSignature;
    } else {
      result.push({ ...part });
    }
  }
  return result;
}

describe("a conversation of ten turns with tools", () => {
  it("returns every signature with its part and every result with its call, whichever replica serves a turn", async () => {
    await using gemini = await openGeminiServer((reply) => {
      for (const part of partsOf(gemini.requests.length - 1)) reply.chunk(geminiChunk([part]));
      reply.chunk(geminiChunk([], { finishReason: "STOP" }));
      reply.end();
    });
    await using first = await openGateway();
    await using second = await openGateway();
    const messages = [message("system", "Be brief."), message("user", "Look")];
    const ids: string[] = [];
    for (let turn = 0; turn < TURNS; turn += 1) {
      const gateway = turn % 2 === 0 ? first : second;
      const answer = await gateway.ask(
        geminiRequest(
          gemini.url,
          { messages, tools: [TOOL], executionId: "e1" },
          { model: "gemini-2.5-pro" },
        ),
      );
      expect(answer.error).to.equal(undefined);
      const added = stored(answer);
      ids.push(...(added[0]?.toolCalls ?? []).map(({ id }) => id));
      messages.push(...added);
    }
    expect(new Set(ids).size, "no id twice").to.equal(ids.length);
    expect(ids).to.include.members(["fc-1", "fc-1-b", "fc-4"]);

    const expected: object[] = [{ role: "user", parts: [{ text: "Look" }] }];
    for (let turn = 0; turn < TURNS - 1; turn += 1) {
      const parts = merged(partsOf(turn));
      const calls = parts.flatMap((part) => ("functionCall" in part ? [part.functionCall] : []));
      expected.push({ role: "model", parts });
      expected.push({
        role: "user",
        parts: calls.map((call) => {
          const { args, ...rest } = isObject(call) ? call : {};
          return { functionResponse: { ...rest, response: { of: args } } };
        }),
      });
    }
    expect(gemini.requests.at(-1)?.body).to.have.deep.property("contents", expected);
  });

  it("gives the same answer the same ids on every replica, and other calls others", async () => {
    const answers: string[][] = [];
    for (const executionId of ["e1", "e1", "e2"]) {
      await using gemini = await openGeminiServer((reply) => {
        reply.chunk(geminiChunk(partsOf(0), { finishReason: "STOP" }));
        reply.end();
      });
      await using gateway = await openGateway();
      const answer = await gateway.ask(geminiRequest(gemini.url, { executionId, tools: [TOOL] }));
      answers.push((stored(answer)[0]?.toolCalls ?? []).map(({ id }) => id));
    }
    const [one, again, other] = answers;
    expect(one).to.have.length(2).and.to.deep.equal(again);
    expect(new Set([...(one ?? []), ...(other ?? [])]).size).to.equal(4);
  });

  it("uses an id of the provider once, even if the provider repeats it, and none that cannot be stored", async () => {
    await using gemini = await openGeminiServer((reply) => {
      const call = (id: string) => ({ functionCall: { name: "kubernetes__get_pods", id } });
      reply.chunk(
        geminiChunk([call("old"), call("new"), call("new"), call("a\u0000b")], { finishReason: "STOP" }),
      );
      reply.end();
    });
    await using gateway = await openGateway();
    const before = message("assistant", "", { toolCalls: [{ id: "old", name: "s.t", arguments: "{}" }] });
    const answer = await gateway.ask(geminiRequest(gemini.url, { messages: [message("user", "x"), before] }));
    const ids = (stored(answer)[0]?.toolCalls ?? []).map(({ id }) => id);
    expect(ids.map((id) => id.replace(/^call_[\da-f]{24}$/u, "ours"))).to.deep.equal([
      "ours",
      "new",
      "ours",
      "ours",
    ]);
    expect(new Set(ids).size).to.equal(4);
  });
});
