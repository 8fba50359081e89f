import { expect } from "chai";
import { describeEvent } from "../screens/session/later/describe-event.ts";
import { agent, created, fold, stage, stored } from "./example-messages.ts";

describe("describeEvent", () => {
  it("says who did what", () => {
    const messages = [
      { type: "session.status", status: "in_progress" },
      stage,
      agent("x1", 1),
      created("t", "llm_thinking", { status: "streaming" }),
      { type: "timeline_event.completed", event_id: "t", status: "completed", content: "" },
      created("c", "llm_tool_call", { metadata: { server_name: "k8s", tool_name: "pods" } }),
      { type: "session.parked", by: "critical" },
      agent("x1", 1, "failed"),
    ];
    const { view } = fold(...messages);
    expect(stored(...messages).map((event) => describeEvent(event, view))).to.deep.equal([
      "Session: Running",
      "Stage look: Running",
      "agent 1: Running",
      "agent 1: Thought",
      "agent 1: Thought: Completed",
      "agent 1: Tool call pods",
      "Parked",
      "agent 1: Failed",
    ]);
  });

  it("shows hostile names as text", () => {
    const [event] = stored({ ...stage, stage_name: "a\u202Eb" });
    expect(event && describeEvent(event, fold().view)).to.not.contain("\u202E");
  });
});
