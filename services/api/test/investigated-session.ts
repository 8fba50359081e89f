import { randomUUID } from "node:crypto";
import type { ApiFixture } from "./api-fixture.ts";

/** A completed stage of two agents with a synthesis and a summary; the first agent has called two tools, one in vain. */
export async function insertInvestigated(api: ApiFixture) {
  const insert = async (table: string, row: Readonly<Record<string, unknown>>) =>
    api.servers.query(
      `INSERT INTO ${table} (${Object.keys(row).join()}) SELECT ${Object.keys(row).join()} FROM json_populate_record(NULL::${table}, $1)`,
      [JSON.stringify(row)],
    );

  const session_id = await api.client.submit("x");
  const stage_id = randomUUID();
  const [agent, other, synthesis] = [randomUUID(), randomUUID(), randomUUID()];
  const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
  await insert("stages", {
    stage_id,
    session_id,
    stage_name: "look",
    stage_index: 1,
    expected_agent_count: 2,
    parallel_type: "multi_agent",
    success_policy: "any",
    stage_type: "investigation",
    status: "completed",
    started_at: at(0),
    completed_at: at(30),
  });
  const tokens = { input_tokens: 10, output_tokens: 5, thinking_tokens: 0, total_tokens: 15 };
  for (const [index, execution_id] of [agent, other, synthesis].entries()) {
    await insert("agent_executions", {
      execution_id,
      stage_id,
      session_id,
      agent_name: ["A", "B", "SynthesisAgent"][index],
      agent_index: index + 1,
      status: index === 1 ? "failed" : "completed",
      started_at: at(index * 10),
      completed_at: at(index * 10 + 5),
      duration_ms: 5_000,
      error_message: index === 1 ? "no" : null,
      iteration_strategy: "react",
      iteration_state: { iteration: 1 },
      llm_provider: "p",
      llm_backend: "langchain",
      model_name: "m",
      ...tokens,
    });
  }
  const announced = [randomUUID(), randomUUID()];
  const calls = [randomUUID(), randomUUID()];
  for (const [index, interaction_id] of calls.entries()) {
    await insert("mcp_interactions", {
      interaction_id,
      session_id,
      stage_id,
      execution_id: agent,
      created_at: at(index),
      interaction_type: "tool_call",
      server_name: "k8s",
      tool_name: "pods",
      tool_arguments: { n: index },
      tool_result: { content: `result ${index}`, is_error: index === 1 },
    });
  }
  const llm = async (interaction_type: string, execution_id: string, request: object = {}) => {
    const interaction_id = randomUUID();
    await insert("llm_interactions", {
      interaction_id,
      session_id,
      stage_id,
      execution_id,
      created_at: at(interaction_type === "iteration" ? 1 : 31),
      interaction_type,
      model_name: "m",
      llm_request: { provider: "scripted", ...request },
      llm_response: {},
      duration_ms: 7,
      input_tokens: 1,
      output_tokens: 2,
      total_tokens: 3,
    });
    return interaction_id;
  };
  const iteration = await llm("iteration", agent);
  const synthesized = await llm("synthesis", synthesis);
  const summary = await llm("executive_summary", synthesis, {
    messages: [{ role: "user", content: "sum it up" }],
  });
  const entry = async (sequence_number: number, row: Readonly<Record<string, unknown>>) =>
    insert("timeline_events", {
      event_id: randomUUID(),
      session_id,
      stage_id,
      execution_id: agent,
      sequence_number,
      created_at: at(sequence_number),
      updated_at: at(sequence_number),
      status: "completed",
      ...row,
    });
  for (const index of [0, 1]) {
    const [names, mcp_interaction_id] = [{ server_name: "k8s", tool_name: "pods" }, calls[index]];
    await entry(2 * index + 1, {
      event_id: announced[index],
      event_type: "llm_tool_call",
      content: "{}",
      metadata: { ...names, arguments: { n: index } },
      mcp_interaction_id,
    });
    await entry(2 * index + 2, {
      event_type: "tool_result",
      content: `result ${index}`,
      metadata: { ...names, is_error: index === 1, call_event_id: announced[index], duration_ms: 7 },
      mcp_interaction_id,
    });
  }
  await entry(5, { event_type: "llm_response", content: "", status: "streaming" });
  await entry(6, { event_type: "final_analysis", content: "all agree", execution_id: synthesis });
  await entry(7, {
    event_type: "executive_summary",
    content: "In short.",
    execution_id: synthesis,
    llm_interaction_id: summary,
  });
  await api.servers.query(
    `UPDATE alert_sessions SET status = 'completed', started_at = $2, completed_at = $3, final_analysis = 'all agree',
         executive_summary = 'In short.', current_stage_index = 1, current_stage_id = $4 WHERE session_id = $1`,
    [session_id, at(0), at(40), stage_id],
  );
  return { session_id, stage_id, agent, synthesis, calls, iteration, synthesized, summary, at };
}
