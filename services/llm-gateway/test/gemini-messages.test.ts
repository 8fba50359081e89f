import { expect } from "chai";
import { encodeGeminiState } from "../providers/google-native/gemini-state.ts";
import { geminiMessages } from "../providers/google-native/request/gemini-messages.ts";
import { message } from "./open-gateway.ts";

const MODEL = "gemini-2.5-pro";

const responseTo = (content: string): unknown => {
  const call = message("assistant", "", { toolCalls: [{ id: "1", name: "s.t", arguments: "{}" }] });
  const result = message("tool", content, { toolName: "s.t", toolCallId: "1" });
  const { contents } = geminiMessages([call, result], MODEL);
  return contents[1]?.parts?.[0]?.functionResponse?.response;
};

describe("geminiMessages", () => {
  for (const [what, content, expected] of [
    ["an object as it is", '{"a":1}', { a: 1 }],
    ["a list wrapped", "[1]", { result: [1] }],
    ["null wrapped", "null", { result: null }],
    ["text as text", "pod is down", { text: "pod is down" }],
    ["nothing as an empty object", "", {}],
  ] as const) {
    it(`sends ${what}`, () => {
      expect(responseTo(content)).to.deep.equal(expected);
    });
  }

  it("sends numbers with all their digits", () => {
    expect(JSON.stringify(responseTo('{"id":12345678901234567890}'))).to.equal('{"id":12345678901234567890}');
  });

  it("sends JSON that is nested too deeply as text", () => {
    const deep = "[".repeat(50_000) + "]".repeat(50_000);
    expect(responseTo(deep)).to.deep.equal({ text: deep });
  });

  it("sends arguments that are no JSON object as none", () => {
    const toolCalls = [{ id: "1", name: "s.t", arguments: "not json" }];
    const { contents } = geminiMessages([message("assistant", "", { toolCalls })], MODEL);
    expect(contents[0]).to.deep.equal({
      role: "model",
      parts: [{ functionCall: { name: "s__t", args: {} } }],
    });
  });

  it("sends a result for every call and never ends with a message of the model", () => {
    const toolCalls = ["1", "2"].map((id) => ({ id, name: "s.t", arguments: "{}" }));
    const { contents } = geminiMessages(
      [
        message("user", "go"),
        message("assistant", "", { toolCalls }),
        message("tool", "{}", { toolName: "s.t", toolCallId: "2" }),
        message("assistant", "Well."),
      ],
      MODEL,
    );
    const kinds = contents.map(({ role, parts = [] }) => [
      role,
      ...parts.flatMap((part) => Object.keys(part)),
    ]);
    expect(kinds).to.deep.equal([
      ["user", "text"],
      ["model", "functionCall", "functionCall"],
      ["user", "functionResponse", "functionResponse"],
      ["model", "text"],
      ["user", "text"],
    ]);
  });

  it("keeps the signatures of calls when the text was changed", () => {
    const providerState = encodeGeminiState([
      { text: 5, signature: "dGV4dA==" },
      { call: "1", signature: "Y2FsbA==" },
    ]);
    const toolCalls = [{ id: "1", name: "s.t", arguments: "{}" }];
    const { contents } = geminiMessages(
      [message("assistant", "changed", { toolCalls, providerState: providerState ?? Buffer.alloc(0) })],
      MODEL,
    );
    expect(contents[0]?.parts).to.deep.equal([
      { text: "changed" },
      { functionCall: { name: "s__t", args: {} }, thoughtSignature: "Y2FsbA==" },
    ]);
  });

  it("ignores another provider's state", () => {
    for (const bytes of [
      "garbage",
      '{"v":2,"provider":"google","parts":[{"text":2,"signature":"eA=="}]}',
      '{"v":1,"provider":"openai","parts":[{"text":2,"signature":"eA=="}]}',
    ]) {
      const { contents } = geminiMessages(
        [message("assistant", "hi", { providerState: Buffer.from(bytes) })],
        MODEL,
      );
      expect(contents[0]?.parts).to.deep.equal([{ text: "hi" }]);
    }
  });

  describe("with calls that have no signature", () => {
    const calls = (...ids: string[]) => ids.map((id) => ({ id, name: "s.t", arguments: "{}" }));
    const conversation = [
      message("user", "Look"),
      message("assistant", "", { toolCalls: calls("1") }),
      message("tool", "{}", { toolCallId: "1", toolName: "s.t" }),
      message("user", "And now?"),
      message("assistant", "Well,", { toolCalls: calls("2", "3") }),
      message("tool", "{}", { toolCallId: "2", toolName: "s.t" }),
      message("tool", "{}", { toolCallId: "3", toolName: "s.t" }),
      message("assistant", "", {
        toolCalls: calls("4"),
        providerState: encodeGeminiState([{ call: "4", signature: "c2ln" }]) ?? Buffer.alloc(0),
      }),
      message("tool", "{}", { toolCallId: "4", toolName: "s.t" }),
    ];
    /** The signatures of all function calls, content by content. */
    const signatures = (model: string) =>
      geminiMessages(conversation, model).contents.flatMap(({ role, parts }) =>
        role === "model"
          ? [parts?.flatMap((part) => (part.functionCall ? [part.thoughtSignature] : []))]
          : [],
      );

    it("sends Gemini 3 the placeholder with the first call of each step of the current turn", () => {
      for (const model of ["gemini-3-pro-preview", "models/gemini-3.8-flash", "gemini-flash-latest"]) {
        expect(signatures(model)).to.deep.equal([
          [undefined],
          ["skip_thought_signature_validator", undefined],
          ["c2ln"],
        ]);
      }
    });

    it("sends older models no placeholder", () => {
      expect(signatures("gemini-2.5-pro")).to.deep.equal([[undefined], [undefined, undefined], ["c2ln"]]);
    });
  });
});
