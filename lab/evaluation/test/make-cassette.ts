import { randomUUID } from "node:crypto";
import { CASSETTE_FORMAT, CASSETTE_VERSION, type Cassette } from "#shared/cassette/cassette.ts";
import { storedChain } from "#shared/contracts/resolved-chain.ts";
import { resolvedChain } from "../../../services/executor/test/resolved-chain.ts";

/** A recorded call of the tool `read` of the server `files`. */
interface ReadFile {
  readonly path: string;
  readonly content: string;
}

interface MakeCassette {
  readonly alert: string;
  readonly alertType?: string;
  readonly reads?: readonly ReadFile[];
  readonly runbook?: string;
}

const TIME = "2026-11-20T10:00:00.000Z";
const RUN = { status: "completed", error_message: null, error_code: null } as const;
const PATH_SCHEMA = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
const TOOL = {
  name: "files.read",
  server: "files",
  description: "Reads a file",
  parameters_schema: JSON.stringify(PATH_SCHEMA),
  read_only: true,
};

/** A cassette with one agent that read files; what its model said is left out, because an evaluation does not use it. */
export function makeCassette({ alert, alertType = "test", reads = [], runbook }: MakeCassette): Cassette {
  const [sessionId, stageId, executionId] = [randomUUID(), randomUUID(), randomUUID()];
  const call = (index: number) => ({ interaction_id: randomUUID(), seq: 3 + index, duration_ms: 5 });
  return {
    format: CASSETTE_FORMAT,
    version: CASSETTE_VERSION,
    written_by: "0.1.0",
    exported_at: TIME,
    session: {
      session_id: sessionId,
      alert_data: alert,
      alert_type: alertType,
      agent_type: alertType,
      chain_id: "test-chain",
      runbook_url: null,
      mcp_selection: null,
      session_metadata: null,
      lane: "normal",
      ...RUN,
      final_analysis: "recorded",
      executive_summary: null,
      executive_summary_error: null,
      degraded: false,
      created_at: TIME,
      started_at: TIME,
      completed_at: TIME,
      last_seq: 9,
      former_analysis: null,
    },
    resolved_config: {
      ...storedChain(resolvedChain({ strategy: "native-thinking", servers: ["files"] })),
    },
    texts: {},
    runbook: runbook === undefined ? null : { text: runbook, failure: null },
    stages: [
      {
        stage_id: stageId,
        stage_name: "analysis",
        stage_index: 1,
        stage_type: "investigation",
        expected_agent_count: 1,
        parallel_type: null,
        success_policy: "any",
        ...RUN,
      },
    ],
    executions: [
      {
        execution_id: executionId,
        stage_id: stageId,
        agent_name: "TestAgent",
        agent_index: 1,
        parent_execution_id: null,
        task: null,
        is_synthesis: false,
        iteration_strategy: "native-thinking",
        ...RUN,
        delivered: null,
        is_cancel_requested: false,
        final_analysis: "recorded",
        messages: [],
        listings: [{ ...call(0), server: "files", tools: [TOOL], result: null, error_message: null }],
        bound_tools: [],
        llm_calls: [],
        tool_calls: reads.map(({ path, content }, index) => ({
          ...call(index + 1),
          call_id: randomUUID(),
          iteration: 1 + index,
          index: 0,
          server: "files",
          tool: "read",
          is_built_in: false,
          arguments: { path },
          result: { content, is_error: false },
          error_message: null,
          outcome: { iteration: 1 + index, index: 0, kind: "result" },
        })),
        memories: [],
      },
    ],
    kept_results: [],
    inputs: {
      steering: [],
      alerts: [],
      evidence: [],
      approvals: [],
      is_cancel_requested: false,
      parkings: 0,
      claims: 1,
    },
    follow_ups: [],
    masked: [],
  };
}
