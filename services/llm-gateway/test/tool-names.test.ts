import { expect } from "chai";
import { encodeToolName, toolNameDecoder } from "../conversation/tool-names.ts";

const NAMES = [
  "kubernetes.get_pods",
  "a.b.c",
  "a__b.c",
  "a.b__c",
  "a_.b",
  "a._b",
  "a.b",
  "plain",
  "7server.tool",
  "sërver.tool",
  "server.tool/with slash",
  `server.${"long".repeat(30)}a`,
  `server.${"long".repeat(30)}b`,
];

describe("encodeToolName", () => {
  it("turns dots into double underscores", () => {
    expect(encodeToolName("kubernetes.get_pods")).to.equal("kubernetes__get_pods");
  });

  it("encodes every tool to a unique name that Gemini accepts, and decodes it again", () => {
    const encoded = NAMES.map(encodeToolName);
    expect(new Set(encoded).size).to.equal(NAMES.length);
    for (const name of encoded) expect(name).to.match(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/u);
    expect(encoded.map(toolNameDecoder(NAMES))).to.deep.equal(NAMES);
  });

  it("decodes a name that is not bound by rule", () => {
    expect(toolNameDecoder([])("made__up")).to.equal("made.up");
  });
});
