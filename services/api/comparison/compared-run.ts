import { CanonicalTexts } from "#shared/cassette/canonical-texts.ts";
import { canonicalRequest } from "#shared/cassette/canonical-request.ts";
import type { RecordedExecution } from "#shared/cassette/cassette.ts";
import type { RecordedLlmCall, RecordedToolCall } from "#shared/cassette/recorded-calls.ts";
import { recordedRequest } from "#shared/cassette/recorded-request.ts";
import type { LlmInteraction } from "#shared/database/tables/llm-interactions.ts";
import type { CassetteRows } from "../cassettes/load-cassette-rows.ts";
import { recordedExecution } from "../cassettes/recorded-execution.ts";
import { SessionAgents } from "../cassettes/session-agents.ts";
import { parseStoredRequest } from "../cassettes/stored-call.ts";

/** A step as it is compared: what went in and what came out, without what differs between two runs of the same session. */
export interface RunStep {
  readonly kind: "llm_call" | "tool_call";
  readonly name: string;
  /** The same for the step of the other session that it is compared with. */
  readonly key: string;
  readonly interactionId: string;
  readonly seq: number | null;
  readonly durationMs: number | null;
  readonly totalTokens: number | null;
  readonly costUsd: number | null;
  readonly text: string;
  readonly error: string | null;
  /** Made when they are needed: a request has the whole conversation. */
  readonly input: () => unknown;
  readonly output: () => unknown;
}

/** An execution of a session as it is compared. */
export interface RunExecution {
  /** Stage, agent and sub-agents by their numbers. */
  readonly path: string;
  readonly stageName: string;
  readonly agentName: string;
  readonly executionId: string;
  readonly steps: readonly RunStep[];
}

const SHOWN_CHARS = 500;

/** The executions of a session's investigation with their steps, in the order of stages and agents. */
export function comparedRun(rows: CassetteRows): readonly RunExecution[] {
  const agents = new SessionAgents(rows);
  const followUps = new Set(rows.followUps.map(({ stage_id }) => stage_id));
  const stages = new Map(rows.stages.map((stage) => [stage.stage_id, stage]));
  const paths = new Map<string, string>();
  const ordered = rows.executions
    .filter(({ stage_id }) => !followUps.has(stage_id) && stages.has(stage_id))
    .toSorted(
      (one, other) => Number(one.parent_execution_id !== null) - Number(other.parent_execution_id !== null),
    );
  for (const { execution_id, parent_execution_id: parent, stage_id, agent_index } of ordered) {
    const above =
      parent === null ? String(stages.get(stage_id)?.stage_index ?? 0) : (paths.get(parent) ?? "");
    paths.set(execution_id, `${above}/${agent_index}`);
  }
  return ordered
    .map((execution) => ({
      path: paths.get(execution.execution_id) ?? "",
      stageName: stages.get(execution.stage_id)?.stage_name ?? "",
      agentName: execution.agent_name,
      executionId: execution.execution_id,
      steps: stepsOf(rows, recordedExecution(rows, agents, execution)),
    }))
    .toSorted((one, other) => comparePaths(one.path, other.path));
}

/** By the numbers in them. */
export function comparePaths(one: string, other: string): number {
  const [left, right] = [one.split("/").map(Number), other.split("/").map(Number)];
  for (let place = 0; place < Math.max(left.length, right.length); place += 1) {
    const difference = (left[place] ?? 0) - (right[place] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function stepsOf(rows: CassetteRows, execution: RecordedExecution): RunStep[] {
  const { session_id: sessionId, prompt_nonce: nonce } = rows.session;
  const owner = { sessionId, nonce };
  const counts = new Map<string, number>();
  const llm = execution.llm_calls.map((call): RunStep & { readonly order: number } => {
    const number = (counts.get(call.type) ?? 0) + 1;
    counts.set(call.type, number);
    const row = rows.llmCalls.find(({ interaction_id }) => interaction_id === call.interaction_id);
    return { ...llmStep(execution, call, row, owner), key: `${call.type}:${number}`, order: 0 };
  });
  const tools = execution.tool_calls.map((call): RunStep & { readonly order: number } => {
    const { iteration, index } = call;
    return { ...toolStep(call, owner), key: `tool:${iteration}:${index}`, order: 1 + index };
  });
  return [...llm, ...tools].toSorted(
    (one, other) => (one.seq ?? 0) - (other.seq ?? 0) || one.order - other.order,
  );
}

interface Owner {
  readonly sessionId: string;
  readonly nonce: string | null;
}

function llmStep(
  execution: RecordedExecution,
  call: RecordedLlmCall,
  row: LlmInteraction | undefined,
  owner: Owner,
): Omit<RunStep, "key"> {
  const model = {
    provider: row === undefined ? "" : (parseStoredRequest(row.llm_request).provider ?? ""),
    type: "",
    backend: "",
    model: row?.model_name ?? "",
    max_tool_result_tokens: 0,
    max_output_tokens: 0,
    native_tools: {},
  };
  return {
    kind: "llm_call",
    name: `${call.type} ${model.model}`,
    interactionId: call.interaction_id,
    seq: call.seq,
    durationMs: call.duration_ms,
    totalTokens: call.reply.usage?.total_tokens ?? null,
    costUsd: call.estimated_cost_usd,
    text: call.reply.text.slice(0, SHOWN_CHARS).toWellFormed(),
    error: call.error_message,
    // The configuration of a fork may not have the provider of the calls before it.
    input: () => {
      const content = recordedRequest(execution, { input: { ...call.input, model } });
      return content === null ? { model } : canonicalRequest(content, owner);
    },
    output: () => {
      const texts = new CanonicalTexts(owner.sessionId, owner.nonce);
      const { text, thinking, tool_calls, outcome } = call.reply;
      return {
        outcome: outcome.kind,
        text: texts.text(text),
        thinking: texts.text(thinking),
        tool_calls: tool_calls.map(({ name, arguments: args }) => ({ name, arguments: texts.text(args) })),
        error_code: call.error_code,
      };
    },
  };
}

function toolStep(call: RecordedToolCall, owner: Owner): Omit<RunStep, "key"> {
  const canonical = (value: unknown): unknown => {
    const text = JSON.stringify(value ?? null);
    const json: unknown = JSON.parse(new CanonicalTexts(owner.sessionId, owner.nonce).text(text));
    return json;
  };
  const text = resultText(call.result) ?? call.error_message ?? "";
  return {
    kind: "tool_call",
    name: call.server === "" ? call.tool : `${call.server}.${call.tool}`,
    interactionId: call.interaction_id,
    seq: call.seq,
    durationMs: call.duration_ms,
    totalTokens: null,
    costUsd: null,
    text: text.slice(0, SHOWN_CHARS).toWellFormed(),
    error: call.error_message,
    input: () => ({ server: call.server, tool: call.tool, arguments: canonical(call.arguments) }),
    output: () => ({ result: canonical(call.result), error: canonical(call.error_message) }),
  };
}

function resultText(result: unknown): string | null {
  if (typeof result !== "object" || result === null || !("content" in result)) return null;
  return typeof result.content === "string" ? result.content : null;
}
