import { expect } from "chai";
import { toolAlias } from "#shared/contracts/tool-names.ts";
import { toolNameDecoder } from "../conversation/tool-names.ts";

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

describe("toolAlias", () => {
  it("turns dots into double underscores", () => {
    expect(toolAlias("kubernetes.get_pods")).to.equal("kubernetes__get_pods");
  });

  it("encodes every tool to a unique name that Gemini accepts, and decodes it again", () => {
    const encoded = NAMES.map(toolAlias);
    expect(new Set(encoded).size).to.equal(NAMES.length);
    for (const name of encoded) expect(name).to.match(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/u);
    expect(encoded.map(toolNameDecoder(NAMES))).to.deep.equal(NAMES);
  });

  it("leaves a name that is not bound as the model wrote it, in later messages too", () => {
    const decode = toolNameDecoder(["a.b"]);
    expect(["made__up", "a__c", "a.b"].map(decode)).to.deep.equal(["made__up", "a__c", "a.b"]);
    expect(["made__up", "a__c"].map(toolAlias)).to.deep.equal(["made__up", "a__c"]);
  });
});
