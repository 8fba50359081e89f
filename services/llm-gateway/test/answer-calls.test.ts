import { expect } from "chai";
import { answerCalls } from "../answer-calls.ts";
import { callIdOut, chatCallIdOut } from "../langchain/call-ids.ts";
import { keepRecent } from "../keep-recent.ts";
import { message } from "./gateway.ts";

const call = (id: string) => ({ id, name: "a.b", arguments: "{}" });
const result = (id: string, content: string) => message("tool", content, { toolCallId: id, toolName: "a.b" });

function shape(messages: Parameters<typeof answerCalls>[0]) {
  return answerCalls(messages).map(({ role, content, toolCallId }) => [role, toolCallId, content]);
}

describe("answerCalls", () => {
  it("puts results behind their calls, in the calls' order, each once", () => {
    expect(
      shape([
        message("user", "go"),
        message("assistant", "", { toolCalls: [call("1"), call("2"), call("3")] }),
        result("2", "two"),
        result("1", "one"),
        result("1", "one again"),
        message("user", "on"),
        result("9", "stray"),
      ]),
    ).to.deep.equal([
      ["user", "", "go"],
      ["assistant", "", ""],
      ["tool", "1", "one"],
      ["tool", "2", "two"],
      ["tool", "3", "There is no result of this call."],
      ["user", "", "Result of a.b:\none again"],
      ["user", "", "on"],
      ["user", "", "Result of a.b:\nstray"],
    ]);
  });
});

describe("callIdOut", () => {
  it("keeps what every provider takes, and turns the rest into the same id each time", () => {
    expect(callIdOut("toolu_01A-b")).to.equal("toolu_01A-b");
    for (const id of ["", "a b", "x".repeat(41), "functions.get:0"]) {
      expect(callIdOut(id)).to.match(/^call_[\da-f]{32}$/u);
      expect(callIdOut(id)).to.equal(callIdOut(id));
    }
    expect(chatCallIdOut("functions.get:0")).to.equal("functions.get:0");
    expect(chatCallIdOut("a b")).to.equal(callIdOut("a b"));
    expect(callIdOut("a b")).not.to.equal(callIdOut("a c"));
  });
});

describe("keepRecent", () => {
  it("opens once per key and forgets the one unused for longest", () => {
    const opened: string[] = [];
    const get = keepRecent(2, (key: { name: string }) => {
      opened.push(key.name);
      return { key };
    });
    const first = get({ name: "a" });
    get({ name: "b" });
    expect(get({ name: "a" })).to.equal(first);
    get({ name: "c" });
    expect(get({ name: "a" })).to.equal(first);
    get({ name: "b" });
    expect(opened).to.deep.equal(["a", "b", "c", "b"]);
  });
});
