import { expect } from "chai";
import { entryOfCall } from "../screens/trace/entry-of-call.ts";

type Entry = Parameters<typeof entryOfCall>[0][number];

function entry(
  event_id: string,
  event_type: Entry["event_type"],
  calls: { llm?: string; mcp?: string },
): Entry {
  const times = { created_at: "2026-03-10T12:00:00.000Z", updated_at: "2026-03-10T12:00:00.000Z" };
  const ids = {
    session_id: "s",
    stage_id: "stage",
    execution_id: "agent",
    ...(calls.llm === undefined ? {} : { llm_interaction_id: calls.llm }),
    ...(calls.mcp === undefined ? {} : { mcp_interaction_id: calls.mcp }),
  };
  return {
    event_id,
    event_type,
    status: "completed",
    sequence_number: 1,
    content: "",
    ...times,
    ...ids,
  };
}

describe("entryOfCall(timeline, callId)", () => {
  const timeline = [
    entry("response", "llm_response", { llm: "asks" }),
    entry("thought", "llm_thinking", { llm: "asks" }),
    entry("called", "llm_tool_call", { llm: "asks", mcp: "tool" }),
    entry("answer", "llm_response", { llm: "answers" }),
    entry("last", "final_analysis", { llm: "answers" }),
    entry("alone", "llm_response", { llm: "text alone" }),
    entry("summary", "executive_summary", { llm: "sums up" }),
  ];

  it("is what the model thought or concluded, and its response where there is nothing else", () => {
    expect(entryOfCall(timeline, "asks")).to.equal("thought");
    expect(entryOfCall(timeline, "answers")).to.equal("last");
    expect(entryOfCall(timeline, "text alone")).to.equal("alone");
  });

  it("is the call for a tool, and nothing for a call that no lane shows", () => {
    expect(entryOfCall(timeline, "tool")).to.equal("called");
    expect(entryOfCall(timeline, "sums up")).to.equal(undefined);
    expect(entryOfCall(timeline, "a list of tools")).to.equal(undefined);
  });

  it("does not take a tool's entry for that of the model call that asked for it", () => {
    expect(entryOfCall([entry("called", "llm_tool_call", { llm: "asks", mcp: "tool" })], "asks")).to.equal(
      undefined,
    );
  });
});
