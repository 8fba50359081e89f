import { uuidFrom } from "#shared/uuid-from.ts";
import { DEFAULT_ORCHESTRATOR, type ResolvedSubAgent } from "#shared/contracts/resolved-chain.ts";
import { isTerminal } from "#shared/contracts/statuses.ts";
import { toolCallId } from "#shared/contracts/tool-call.ts";
import type { JsonObject } from "#shared/json-object.ts";
import type { SubAgentToolName } from "../../controllers/built-in-tools.ts";
import type { IterationState } from "#shared/contracts/iteration-state.ts";
import type { ExecutionRun } from "../../core/execution-run.ts";
import type { StepAnswer } from "../../core/feature.ts";
import { newExecution } from "../../persist/stage-rows.ts";
import type { StepRecord } from "../../persist/step-record.ts";
import { TimelineWriter } from "../../persist/timeline-writer.ts";
import { oneLine } from "../../prompts/untrusted-text.ts";

/** The longest task, in characters. */
const MAX_TASK_CHARS = 20_000;
const MAX_SHOWN_CHARS = 100;
const ACCEPTED = "The sub-agent works now. Its result arrives as a message; do not guess it.";

/**
 * Answers a call that starts, stops or lists sub-agents, from the rows alone. The id of a new sub-agent derives from that of the
 * call, and its row is inserted in the step that answers the call: however often the call is begun, it has one sub-agent.
 */
export function answerSubAgentTool(
  run: ExecutionRun,
  {
    name,
    index,
    parameters,
  }: { readonly name: SubAgentToolName; readonly index: number; readonly parameters: JsonObject },
): StepAnswer {
  const answer = answerOf(run, name, index, parameters);
  return answer.effect === null ? answer : { ...answer, iteration: withBudget(run) };
}

function answerOf(
  run: ExecutionRun,
  name: SubAgentToolName,
  index: number,
  parameters: JsonObject,
): StepAnswer {
  switch (name) {
    case "dispatch_agent":
      return dispatch(run, index, parameters);
    case "cancel_agent":
      return cancel(run, parameters);
    case "list_agents":
      return answered(list(run));
    default:
      return name satisfies never;
  }
}

function dispatch(run: ExecutionRun, index: number, parameters: JsonObject): StepAnswer {
  const { execution, state } = run;
  const name = textOf(parameters["name"]);
  const task = textOf(parameters["task"]);
  if (name === null || task === null) return refused("invalid arguments: 'name' and 'task' must be texts");
  if (name === "" || task === "") return refused("both 'name' and 'task' are required");
  if (task.length > MAX_TASK_CHARS) {
    return refused(
      `invalid arguments: 'task' has ${task.length} characters, at most ${MAX_TASK_CHARS} are allowed`,
    );
  }
  const { sub_agents: catalog = [], orchestrator: limits = DEFAULT_ORCHESTRATOR } = state.agent;
  const { subAgents = [], isBudgetOver = false } = state;
  const agent = catalog.find((known) => known.name === name);
  if (agent === undefined) return refused(`dispatch failed: agent not found in registry: ${shown(name)}`);
  const open = subAgents.filter(({ status }) => !isTerminal(status));
  if (open.length >= limits.max_concurrent_agents) {
    return refused(
      `dispatch failed: max concurrent agents exceeded: limit is ${limits.max_concurrent_agents}`,
    );
  }
  if (subAgents.length >= limits.max_dispatches) {
    return refused(`dispatch failed: max dispatches exceeded: limit is ${limits.max_dispatches}`);
  }
  if (isBudgetOver) return refused("dispatch failed: the time for sub-agents is over");
  const callId = toolCallId(execution.execution_id, { iteration: state.iteration.iteration, index });
  const execution_id = uuidFrom("sub-agent", callId);
  const effect = inserted(run, agent, { execution_id, agent_index: subAgents.length + 1, task });
  return answered(`${JSON.stringify({ execution_id, status: "accepted" })}\n${ACCEPTED}`, effect);
}

/** The row of a sub-agent, and its task as the first row of its timeline. */
function inserted(
  { session, execution }: ExecutionRun,
  agent: ResolvedSubAgent,
  {
    execution_id,
    agent_index,
    task,
  }: { readonly execution_id: string; readonly agent_index: number; readonly task: string },
): StepRecord {
  const { stage_id, execution_id: parent_execution_id } = execution;
  const child = { ...newExecution(stage_id, agent_index, agent), execution_id, parent_execution_id, task };
  const timeline = new TimelineWriter({
    sessionId: session.sessionId,
    execution: child,
    iteration: 0,
    timeline: { nextSequence: 1, open: new Map() },
  });
  timeline.add({ key: "task", type: "task_assigned", content: task, metadata: null, interactionId: null });
  const { rows, events } = timeline.record();
  return { rows: { ...rows, executions: [child] }, events };
}

function cancel({ state }: ExecutionRun, parameters: JsonObject): StepAnswer {
  const id = textOf(parameters["execution_id"]) ?? "";
  if (id === "") return refused("'execution_id' is required");
  const child = state.subAgents?.find(({ execution_id }) => execution_id === id.toLowerCase());
  if (child === undefined) return refused(`cancel failed: execution not found: ${shown(id)}`);
  const { execution_id, status } = child;
  if (isTerminal(status)) return answered(`cancel ${execution_id}: already ${status}`);
  const effect = { rows: { executionChanges: [{ execution_id, cancels: true as const }] }, events: [] };
  return answered(`cancel ${execution_id}: cancellation requested`, effect);
}

function list({ state: { subAgents = [] } }: ExecutionRun): string {
  if (subAgents.length === 0) return "No sub-agents dispatched yet.";
  return subAgents
    .map(({ agent_name, execution_id, status, task }) => {
      return `- ${agent_name} (exec ${execution_id}): status=${status}, task="${shown(task)}"`;
    })
    .join("\n");
}

/** Empty if it is missing, null if it is no text. */
function textOf(value: unknown): string | null {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value.trim() : null;
}

/** Words of a model within a line of ours. */
function shown(text: string): string {
  const line = oneLine(text.slice(0, 2 * MAX_SHOWN_CHARS).toWellFormed());
  return line.length <= MAX_SHOWN_CHARS ? line : `${line.slice(0, MAX_SHOWN_CHARS).toWellFormed()}…`;
}

/** The state with the time until which the agent waits for its sub-agents, which begins with the first of them. */
function withBudget({ session, state: { agent, iteration } }: ExecutionRun): IterationState {
  if (iteration.budget_until !== undefined) return iteration;
  const { max_budget_ms } = agent.orchestrator ?? DEFAULT_ORCHESTRATOR;
  return { ...iteration, budget_until: new Date(session.clock.databaseNow() + max_budget_ms).toISOString() };
}

function answered(content: string, effect: StepRecord | null = null): StepAnswer {
  return { outcome: { kind: "result", content, isError: false, isOwnText: true }, effect };
}

function refused(content: string): StepAnswer {
  return { outcome: { kind: "result", content, isError: true, isOwnText: true }, effect: null };
}
