import { expect } from "chai";
import { messagesOut } from "../google-native/messages-out.ts";
import { encodeProviderState } from "../google-native/provider-state.ts";
import { message } from "./gateway.ts";

const responseTo = (content: string): unknown => {
  const { contents } = messagesOut([message("tool", content, { toolName: "s.t", toolCallId: "1" })]);
  return contents[0]?.parts?.[0]?.functionResponse?.response;
};

describe("messagesOut", () => {
  for (const [what, content, expected] of [
    ["an object as it is", '{"a":1}', { a: 1 }],
    ["a list wrapped", "[1]", { result: [1] }],
    ["null wrapped", "null", { result: null }],
    ["text as text", "pod is down", { text: "pod is down" }],
    ["nothing as an empty object", "", {}],
    [
      "numbers that JavaScript would round as text",
      '{"id":12345678901234567890}',
      { text: '{"id":12345678901234567890}' },
    ],
  ] as const) {
    it(`sends ${what}`, () => {
      expect(responseTo(content)).to.deep.equal(expected);
    });
  }

  it("sends JSON too deep to be written again as text", () => {
    const deep = "[".repeat(50_000) + "]".repeat(50_000);
    expect(responseTo(deep)).to.deep.equal({ text: deep });
  });

  it("sends arguments that are no JSON object as none", () => {
    const toolCalls = [{ id: "1", name: "s.t", arguments: "not json" }];
    const { contents } = messagesOut([message("assistant", "", { toolCalls })]);
    expect(contents).to.deep.equal([
      { role: "model", parts: [{ functionCall: { name: "s__t", args: {} } }] },
    ]);
  });

  it("keeps the calls' signatures when the text was changed since", () => {
    const providerState = encodeProviderState([
      { text: 5, signature: "dGV4dA==" },
      { call: "1", signature: "Y2FsbA==" },
    ]);
    const toolCalls = [{ id: "1", name: "s.t", arguments: "{}" }];
    const { contents } = messagesOut([
      message("assistant", "changed", { toolCalls, providerState: providerState ?? Buffer.alloc(0) }),
    ]);
    expect(contents[0]?.parts).to.deep.equal([
      { text: "changed" },
      { functionCall: { name: "s__t", args: {} }, thoughtSignature: "Y2FsbA==" },
    ]);
  });

  it("passes over a state that is not its own", () => {
    for (const bytes of [
      "garbage",
      '{"v":2,"provider":"google","parts":[{"text":2,"signature":"eA=="}]}',
      '{"v":1,"provider":"openai","parts":[{"text":2,"signature":"eA=="}]}',
    ]) {
      const { contents } = messagesOut([message("assistant", "hi", { providerState: Buffer.from(bytes) })]);
      expect(contents[0]?.parts).to.deep.equal([{ text: "hi" }]);
    }
  });
});
