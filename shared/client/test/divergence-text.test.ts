import { expect } from "chai";
import { divergenceText } from "../divergence-text.ts";

const FIRST = {
  path: "1/1",
  agent_name: "Scout",
  execution_a: null,
  execution_b: null,
  step: 1,
  kind: "llm_call",
  part: "request",
  seq_a: 4,
  seq_b: 4,
  pointer: "/messages/0/content",
  text_a: "a",
  text_b: "b",
} as const;

describe("divergenceText(first)", () => {
  it("names agent, step and what differs, without a pointer", () => {
    expect(divergenceText(FIRST)).to.equal("Scout, step 2: the system prompt differs.");
    const told = { ...FIRST, pointer: "/messages/3/content" };
    expect(divergenceText(told)).to.equal("Scout, step 2: message 4 to the model differs.");
    const offered = { ...FIRST, pointer: "/tools/0/name" };
    expect(divergenceText(offered)).to.equal("Scout, step 2: the tools offered to the model differ.");
  });

  it("says which session's step is alone, and what a tool's call had", () => {
    const missing = { ...FIRST, agent_name: "", part: "missing", pointer: "" } as const;
    expect(divergenceText(missing)).to.equal("step 2: only one session has this step.");
    const result = { ...FIRST, kind: "tool_call", part: "result", pointer: "" } as const;
    expect(divergenceText(result)).to.equal("Scout, step 2: the tool's result differs.");
  });
});
