import { expect } from "chai";
import { effectClass, type ToolAnnotations } from "../effect-class.ts";
import { DEFAULT_SETTINGS } from "../server-settings.ts";

const RULES = {
  ...DEFAULT_SETTINGS.tools,
  read_only: ["get_*", "odd_*"],
  idempotent: ["set_*"],
  write: ["scale_*", "odd_*"],
  destructive: ["delete_*"],
};

describe("effectClass", () => {
  const classOf = (name: string, annotations: ToolAnnotations = {}, trustAnnotations = false) => {
    const { effect, known, gate } = effectClass({ tools: RULES, trustAnnotations }, name, annotations);
    return `${effect} ${known ? "known" : "assumed"} ${gate}`;
  };

  it("follows the operator's lists, the strictest that names a tool, whatever the server says", () => {
    const harmful = { destructiveHint: true };
    expect(classOf("get_pod", harmful)).to.equal("read known allow");
    expect(classOf("set_label", harmful)).to.equal("idempotent known allow");
    expect(classOf("scale_up", { readOnlyHint: true }, true)).to.equal("write known deny");
    expect(classOf("delete_pod", { readOnlyHint: true }, true)).to.equal("destructive known deny");
    expect(classOf("odd_one")).to.equal("write known deny");
  });

  it("believes a trusted server", () => {
    expect(classOf("x", { readOnlyHint: true }, true)).to.equal("read known allow");
    expect(classOf("x", { idempotentHint: true }, true)).to.equal("idempotent known allow");
    expect(classOf("x", { destructiveHint: false }, true)).to.equal("write known allow");
    expect(classOf("x", { destructiveHint: true }, true)).to.equal("destructive known deny");
    expect(classOf("x", { readOnlyHint: true, destructiveHint: true }, true)).to.equal(
      "destructive known deny",
    );
    expect(classOf("x", {}, true)).to.equal("write assumed unknown");
  });

  it("believes any server that its tool is destructive, and nothing else", () => {
    expect(classOf("x", { destructiveHint: true })).to.equal("write assumed deny");
    expect(classOf("x", { readOnlyHint: true })).to.equal("write assumed unknown");
    expect(classOf("x", { readOnlyHint: true, destructiveHint: true })).to.equal("write assumed deny");
    expect(classOf("x", { destructiveHint: false })).to.equal("write assumed unknown");
    expect(classOf("x")).to.equal("write assumed unknown");
  });
});
