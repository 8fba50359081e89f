import { expect } from "chai";
import { pairToolResults } from "../conversation/pair-tool-results.ts";
import { encodeCallId, encodeChatCallId } from "../providers/langchain/request/encode-call-id.ts";
import { lruCached } from "../providers/lru-cache.ts";
import { message } from "./open-gateway.ts";

const call = (id: string) => ({ id, name: "a.b", arguments: "{}" });
const result = (id: string, content: string) => message("tool", content, { toolCallId: id, toolName: "a.b" });

function shape(messages: Parameters<typeof pairToolResults>[0]) {
  return pairToolResults(messages).map(({ role, content, toolCallId }) => [role, toolCallId, content]);
}

describe("pairToolResults", () => {
  it("puts one result after each call, in the order of the calls", () => {
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

describe("encodeCallId", () => {
  it("keeps ids that every provider accepts and hashes all others", () => {
    expect(encodeCallId("toolu_01A-b")).to.equal("toolu_01A-b");
    for (const id of ["", "a b", "x".repeat(41), "functions.get:0"]) {
      expect(encodeCallId(id)).to.match(/^call_[\da-f]{32}$/u);
      expect(encodeCallId(id)).to.equal(encodeCallId(id));
    }
    expect(encodeChatCallId("functions.get:0")).to.equal("functions.get:0");
    expect(encodeChatCallId("a b")).to.equal(encodeCallId("a b"));
    expect(encodeCallId("a b")).not.to.equal(encodeCallId("a c"));
  });
});

describe("lruCached", () => {
  it("opens once per key and drops the least recently used", () => {
    const opened: string[] = [];
    const get = lruCached(2, (key: { name: string }) => {
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
