import { expect } from "chai";
import { forkBody, forkField, UNCHANGED } from "../screens/session/later/fork/fork-draft.ts";

describe("the draft of a fork", () => {
  it("names nothing that is not changed", () => {
    expect(forkBody({ ...UNCHANGED, atSeq: 7 }, "call")).to.deep.equal({
      at_seq: 7,
      changes: {},
      tools: "recorded",
    });
  });

  it("names each change", () => {
    const draft = {
      atSeq: 7,
      provider: "other",
      model: " large ",
      instructions: "be brief",
      maxIterations: "5",
      result: "",
      tools: "live",
    } as const;
    expect(forkBody(draft, "call")).to.deep.equal({
      at_seq: 7,
      changes: {
        llm_provider: "other",
        model: "large",
        custom_instructions: "be brief",
        max_iterations: 5,
        tool_result: { interaction_id: "call", content: "" },
      },
      tools: "live",
    });
  });

  it("shows an error at the field that it names first", () => {
    expect(forkField("field 'changes.llm_provider' is unknown: model-a, model-b")).to.equal("provider");
    expect(forkField("field 'changes.tool_result.content' is too long")).to.equal("result");
    expect(forkField("at_seq 9 is not the end of a step")).to.equal("atSeq");
    expect(forkField("too many requests")).to.equal(undefined);
  });
});
