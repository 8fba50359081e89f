import packageJson from "../../../package.json" with { type: "json" };
import { CASSETTE_FORMAT, CASSETTE_VERSION, type Cassette } from "#shared/cassette/cassette.ts";
import { isTerminal } from "#shared/contracts/statuses.ts";
import { TerminalError } from "#shared/errors.ts";
import type { CassetteRows } from "./load-cassette-rows.ts";
import { recordedExecution } from "./recorded-execution.ts";
import { SessionAgents } from "./session-agents.ts";

/**
 * The cassette of a session that has ended, with its prompts' codes and before secrets are looked for. Throws TerminalError
 * `malformed` for rows that no version wrote, and as `parseResolvedChain`.
 */
export function buildCassette(rows: CassetteRows, exportedAt: Date): Cassette {
  const { stages, inputs } = rows;
  const agents = new SessionAgents(rows);
  const order = new Map(stages.map(({ stage_id, stage_index }) => [stage_id, stage_index]));
  const top = rows.executions
    .filter(({ parent_execution_id }) => parent_execution_id === null)
    .toSorted((one, other) => (order.get(one.stage_id) ?? 0) - (order.get(other.stage_id) ?? 0));
  const inOrder = top.flatMap((parent) => [
    parent,
    ...rows.executions.filter(({ parent_execution_id }) => parent_execution_id === parent.execution_id),
  ]);
  const executions = inOrder.map((execution) => recordedExecution(rows, agents, execution));
  const delivery = deliveries(executions);
  const isShown = new Set(executions.map(({ execution_id }) => execution_id));
  return {
    format: CASSETTE_FORMAT,
    version: CASSETTE_VERSION,
    written_by: packageJson.version,
    exported_at: exportedAt.toISOString(),
    session: sessionOf(rows),
    resolved_config: { ...rows.session.resolved_config },
    texts: Object.fromEntries(inputs.texts.map(({ hash, body }) => [hash, body])),
    runbook: runbookOf(rows),
    stages: stages.map((stage) => ({
      stage_id: stage.stage_id,
      stage_name: stage.stage_name,
      stage_index: stage.stage_index,
      stage_type: stage.stage_type,
      expected_agent_count: stage.expected_agent_count,
      parallel_type: stage.parallel_type,
      success_policy: stage.success_policy,
      status: stage.status,
      error_message: stage.error_message,
      error_code: stage.error_code,
    })),
    executions,
    kept_results: rows.kept.map(({ call_id, bytes, lines, content }) => ({ call_id, bytes, lines, content })),
    inputs: {
      steering: inputs.steering.map((message) => ({
        ...message,
        deliveries: message.deliveries.map(delivery),
      })),
      alerts: inputs.alerts,
      evidence: inputs.evidence.map((row) => ({
        ...delivery(row),
        through: row.through,
        alerts: row.alerts,
        characters: row.characters,
      })),
      approvals: rows.approvals
        .filter(({ execution_id }) => isShown.has(execution_id))
        .map(({ approval_id, execution_id, call_id, tool, arguments: json, state, reason }) => ({
          approval_id,
          execution_id,
          call_id,
          tool,
          arguments: json,
          state,
          reason,
        })),
      is_cancel_requested: rows.runtime.cancel_requested_at !== null,
      parkings: rows.runtime.parkings,
      claims: rows.runtime.lease_epoch,
    },
    follow_ups: rows.followUps.map((followUp) => followUpOf(rows, followUp)),
    masked: [],
  };
}

function sessionOf({ session, runtime, inputs }: CassetteRows): Cassette["session"] {
  const { status } = session;
  if (!isTerminal(status)) {
    throw new TerminalError("session_not_terminal", `session ${session.session_id} has not ended`);
  }
  return {
    session_id: session.session_id,
    alert_data: session.alert_data,
    alert_type: session.alert_type,
    agent_type: session.agent_type,
    chain_id: session.chain_id,
    runbook_url: session.runbook_url,
    mcp_selection: session.mcp_selection,
    session_metadata: session.session_metadata,
    lane: session.lane,
    status,
    error_message: session.error_message,
    error_code: session.error_code,
    final_analysis: session.final_analysis,
    executive_summary: session.executive_summary,
    executive_summary_error: session.executive_summary_error,
    degraded: session.degraded,
    created_at: session.created_at.toISOString(),
    started_at: session.started_at?.toISOString() ?? null,
    completed_at: session.completed_at?.toISOString() ?? null,
    last_seq: runtime.last_seq,
    former_analysis: inputs.formerAnalysis,
  };
}

function runbookOf({ runbook, inputs }: CassetteRows): Cassette["runbook"] {
  if (runbook === null) return null;
  const text = inputs.texts.find(({ hash }) => hash === runbook.hash)?.body ?? null;
  return { text, failure: runbook.failure };
}

type DeliveredEvidence = Cassette["inputs"]["evidence"][number];

/** Replaces the number of calls before a delivery by the first call behind it. */
function deliveries(
  executions: Cassette["executions"],
): (row: {
  readonly execution_id: string;
  readonly message: number | null;
  readonly calls_before: number;
}) => Pick<DeliveredEvidence, "execution_id" | "message" | "before_call"> {
  const calls = new Map(executions.map(({ execution_id, llm_calls }) => [execution_id, llm_calls.length]));
  return ({ execution_id, message, calls_before: before }) => ({
    execution_id,
    message,
    before_call: before < (calls.get(execution_id) ?? 0) ? before : null,
  });
}

function followUpOf(
  { inputs, scores, timeline }: CassetteRows,
  followUp: CassetteRows["followUps"][number],
): Cassette["follow_ups"][number] {
  const { follow_up_id, kind, stage_id } = followUp;
  const question = inputs.questions.find((row) => row.stage_id === stage_id);
  const score = scores.find((row) => row.follow_up_id === follow_up_id);
  return {
    follow_up_id,
    kind,
    stage_id,
    resolved_config: { ...followUp.resolved_config },
    status: followUp.status,
    error_message: followUp.error_message,
    error_code: followUp.error_code,
    is_cancel_requested: followUp.cancel_requested_at !== null,
    question: question === undefined ? null : { content: question.content, author: question.author },
    score:
      score === undefined
        ? null
        : {
            status: score.status,
            total_score: score.total_score,
            score_analysis: score.score_analysis,
            tool_improvement_report: score.tool_improvement_report,
            failure_tags: score.failure_tags,
          },
    feedback:
      kind === "feedback"
        ? (timeline.find((row) => row.stage_id === stage_id && row.event_type === "user_question")?.content ??
          null)
        : null,
  };
}
