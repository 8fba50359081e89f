import { expect } from "chai";
import { mergeToolCalls, type TimelineRow } from "#shared/contract-view/merge-tool-calls.ts";

const AT = Date.UTC(2026, 0, 1);
const names = { server_name: "k8s", tool_name: "pods" };

interface Row extends TimelineRow {
  readonly event_id: string;
}

function row(event_id: string, of: Partial<Row>): Row {
  return {
    event_id,
    execution_id: "one",
    event_type: "llm_tool_call",
    status: "completed",
    content: '{"namespace":"a"}',
    metadata: { ...names, arguments: { namespace: "a" } },
    mcp_interaction_id: null,
    updated_at: new Date(AT),
    ...of,
  };
}

function result(event_id: string, of: Partial<Row>): Row {
  const later = new Date(AT + 1_500);
  return row(event_id, {
    event_type: "tool_result",
    content: "3 pods",
    metadata: { ...names, is_error: false, call_event_id: "call", duration_ms: 7 },
    updated_at: later,
    ...of,
  });
}

describe("a tool call in the contract", () => {
  const active = [{ execution_id: "one", status: "active" }] as const;

  it("is one entry with the result, and streaming before", () => {
    const call = row("call", { mcp_interaction_id: "i" });
    const other = row("text", { event_type: "llm_response", content: "hm", metadata: null });
    const rows = [call, row("open", {}), other, result("result", { mcp_interaction_id: "i" })];
    const metadata = { ...names, arguments: '{"namespace":"a"}', tool_type: "mcp" };
    expect(mergeToolCalls(rows, active)).to.deep.equal([
      {
        ...call,
        content: "3 pods",
        metadata: { ...metadata, is_error: false, duration_ms: 7 },
        updated_at: new Date(AT + 1_500),
      },
      { ...row("open", {}), status: "streaming", content: "", metadata },
      other,
    ]);
  });

  it("of skills has their type and server", () => {
    const load = { server_name: "tarsy", tool_name: "load_skill" };
    const skill = { server_name: "skill", tool_name: "load_skill", tool_type: "skill" };
    const call = row("call", { mcp_interaction_id: "i", metadata: load });
    const loaded = result("result", {
      mcp_interaction_id: "i",
      metadata: { ...load, is_error: false, call_event_id: "call", duration_ms: 7 },
    });
    expect(mergeToolCalls([call, loaded], active)[0]?.metadata).to.include(skill);
    expect(mergeToolCalls([row("open", { metadata: load })], active)[0]?.metadata).to.include(skill);
  });

  it("of memories has their type and server", () => {
    for (const tool_name of ["recall_past_investigations", "search_past_sessions"]) {
      const memory = { server_name: "memory", tool_name, tool_type: "memory" };
      const metadata = { server_name: "tarsy", tool_name };
      expect(mergeToolCalls([row("open", { metadata })], active)[0]?.metadata).to.include(memory);
    }
  });

  it("is failed by an error, and has its execution's status without a result", () => {
    const failed = result("result", {
      mcp_interaction_id: "i",
      content: "no such namespace",
      metadata: { ...names, is_error: true, call_event_id: "call", duration_ms: 7 },
    });
    const [entry] = mergeToolCalls([row("call", { mcp_interaction_id: "i" }), failed], active);
    expect(entry).to.deep.include({ status: "failed", content: "no such namespace" });
    expect(entry?.metadata).to.include({ is_error: true, error_message: "no such namespace" });
    expect(entry?.metadata).not.to.have.property("call_event_id");
    const [left] = mergeToolCalls([row("call", {})], [{ execution_id: "one", status: "timed_out" }]);
    expect(left).to.include({ status: "timed_out", content: "" });
    const [orphan] = mergeToolCalls([result("result", { mcp_interaction_id: "gone" })], active);
    expect(orphan).to.include({ event_type: "llm_tool_call", content: "3 pods" });
  });
});
