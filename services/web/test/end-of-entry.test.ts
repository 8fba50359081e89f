import { expect } from "chai";
import { endOfEntry } from "../session/end-of-entry.ts";
import { lastResult } from "../session/last-result.ts";
import { at, created, stored } from "./example-messages.ts";

const record = (interaction_id: string, second: number) => ({
  type: "interaction.created",
  stage_id: "st",
  execution_id: "x1",
  interaction_id,
  interaction_type: "mcp",
  timestamp: at(second),
});
const result = (event_id: string, call_event_id: string, second: number) =>
  created(event_id, "tool_result", {
    timestamp: at(second),
    metadata: { call_event_id, server_name: "k8s", tool_name: "pods" },
  });
/** An answer with two calls, whose results are recorded in one step, and an answer behind them. */
const EVENTS = stored(
  created("answer", "llm_response", { status: "streaming", timestamp: at(1) }),
  {
    type: "timeline_event.completed",
    event_id: "answer",
    status: "completed",
    content: "",
    timestamp: at(2),
  },
  created("call-1", "llm_tool_call", { timestamp: at(2) }),
  created("call-2", "llm_tool_call", { timestamp: at(2) }),
  result("result-1", "call-1", 3),
  result("result-2", "call-2", 3),
  record("record-1", 3),
  record("record-2", 3),
  created("last", "llm_response", { timestamp: at(4) }),
);

describe("endOfEntry", () => {
  it("is the end of the step that completed the entry", () => {
    const ends = ["answer", "call-1", "call-2", "last"].map((id) => endOfEntry(EVENTS, id));
    expect(ends).to.deep.equal([4, 8, 8, 9]);
  });

  it("is not known for an entry of which no event tells", () => {
    expect(endOfEntry(EVENTS, "other")).to.equal(undefined);
  });
});

describe("lastResult", () => {
  it("is the newest result with its record", () => {
    expect(lastResult(EVENTS, 9)).to.deep.equal({
      interactionId: "record-2",
      tool: "k8s.pods",
      content: "result-2",
      seq: 6,
    });
    expect(lastResult(EVENTS, 5)?.interactionId).to.equal("record-1");
  });

  it("is missing before the first one", () => {
    expect(lastResult(EVENTS, 4)).to.equal(undefined);
  });
});
