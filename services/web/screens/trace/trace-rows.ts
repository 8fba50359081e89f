import type { ApiResponse } from "#shared/client/api-types.ts";
import { argumentsLine } from "../../session/describe-entry.ts";
import { TEXT } from "../../text.ts";

type Trace = ApiResponse<"GET /api/v1/sessions/:id/trace">;
/** What a waterfall takes from the session. */
type TracedSession = Pick<ApiResponse<"GET /api/v1/sessions/:id">, "stages" | "timeline">;
type StageTrace = Trace["stages"][number];
type ExecutionTrace = StageTrace["executions"][number];
type TracedLlmCall = ExecutionTrace["llm_interactions"][number];
type TracedMcpCall = ExecutionTrace["mcp_interactions"][number];

/** `wait`: from the request to the first stored text; `stream`: from there to the end of the answer. */
export type SegmentKind = "wait" | "stream" | "tool" | "run";

/** A part of a bar, in milliseconds since 1970. */
interface Segment {
  readonly kind: SegmentKind;
  readonly start: number;
  readonly end: number;
}

/** What a stage or an agent adds up to, or what one call took. */
interface RowFigures {
  readonly tokens: number;
  readonly usd: number;
  /** Model calls with tokens and without a price: `usd` does not contain them. */
  readonly unpriced: number;
  readonly calls: number;
  readonly failures: number;
}

/** A line of the waterfall. */
export interface TraceRow {
  /** The id of the stage, execution or call. */
  readonly key: string;
  readonly kind: "stage" | "execution" | "llm" | "mcp";
  readonly depth: 0 | 1 | 2;
  readonly title: string;
  /** Its place among the model calls of its agent that are of the same kind, from 1. */
  readonly place?: number;
  /** What the call did: the arguments of a tool call on one line, or the tools that a model asked for. */
  readonly did?: string;
  /** How many equal calls the row stands for; undefined for one. */
  readonly count?: number;
  /** What kind of call it is, or of stage. */
  readonly detail: string;
  /** Of the stage, execution or call. */
  readonly status: string;
  readonly isFailed: boolean;
  readonly start: number;
  readonly end: number;
  readonly segments: readonly Segment[];
  readonly figures: RowFigures;
}

const NOTHING: RowFigures = { tokens: 0, usd: 0, unpriced: 0, calls: 0, failures: 0 };

/**
 * The rows of a session's waterfall: each stage in the order in which they began, under it its executions, under them their calls by start. A call's row is written when it ends, so that it began `duration_ms` before. What still runs ends at `now`.
 */
export function traceRows(trace: Trace, session: TracedSession, now: number): readonly TraceRow[] {
  const firstTexts = firstTextTimes(session);
  const stages = new Map(session.stages.map((stage) => [stage.stage_id, stage]));
  return trace.stages
    .map((stage) => stageRows(stage, stages.get(stage.stage_id), firstTexts, now))
    .sort(([a], [b]) => (a?.start ?? now) - (b?.start ?? now))
    .flat();
}

/** When the first text of each model call was stored: with its end, unless it was streamed. */
function firstTextTimes({ timeline }: TracedSession): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const { llm_interaction_id: id, event_type, created_at } of timeline) {
    if (id === undefined || event_type === "llm_tool_call") continue;
    const time = Date.parse(created_at);
    const known = times.get(id);
    if (known === undefined || time < known) times.set(id, time);
  }
  return times;
}

function stageRows(
  trace: StageTrace,
  stage: TracedSession["stages"][number] | undefined,
  firstTexts: ReadonlyMap<string, number>,
  now: number,
): readonly TraceRow[] {
  const executions = new Map<string, TracedRun & CalledModel>();
  for (const { sub_agents = [], ...execution } of stage?.executions ?? []) {
    for (const one of [execution, ...sub_agents]) executions.set(one.execution_id, one);
  }
  const below: TraceRow[] = [];
  const withSubAgents = trace.executions.flatMap(({ sub_agents = [], ...execution }) => [
    { execution, parent: undefined },
    ...sub_agents.map((child) => ({ execution: child, parent: execution.agent_name })),
  ]);
  for (const { execution, parent } of withSubAgents) {
    const calls = [
      ...execution.llm_interactions.map((call) => llmRow(call, firstTexts)),
      ...execution.mcp_interactions.map(mcpRow),
    ].sort((a, b) => a.start - b.start || a.end - b.end);
    const numbered = numberCalls(withAskedTools(calls));
    const known = executions.get(execution.execution_id);
    const name = execution.agent_name;
    const model = known?.model_name ?? known?.llm_provider ?? "";
    const head = {
      key: execution.execution_id,
      kind: "execution",
      depth: 1,
      title: parent === undefined ? name : TEXT.session.subAgent(parent, name),
      detail: model,
    } as const;
    below.push(groupRow(head, calls, known ?? {}, now), ...numbered);
  }
  const executionRows = below.filter(({ kind }) => kind === "execution");
  const head = {
    key: trace.stage_id,
    kind: "stage",
    depth: 0,
    title: trace.stage_name,
    detail: trace.stage_type,
  } as const;
  return [groupRow(head, executionRows, stage ?? {}, now), ...below];
}

/** The calls of models with the tools that they asked for: those that were called before the next one. */
function withAskedTools(calls: readonly TraceRow[]): readonly TraceRow[] {
  let asked = new Set<string>();
  return calls
    .toReversed()
    .map((call) => {
      if (call.detail === "tool_call") asked = new Set([call.title, ...asked]);
      if (call.kind !== "llm") return call;
      const did = [...asked].join(", ");
      asked = new Set();
      return did === "" ? call : { ...call, did: `→ ${did}` };
    })
    .toReversed();
}

/** The calls with their places; there is nothing to tell apart where a kind has one call. */
function numberCalls(calls: readonly TraceRow[]): readonly TraceRow[] {
  const totals = Map.groupBy(calls, ({ detail }) => detail);
  const counts = new Map<string, number>();
  return calls.map((call) => {
    if (call.kind !== "llm" || totals.get(call.detail)?.length === 1) return call;
    const place = (counts.get(call.detail) ?? 0) + 1;
    counts.set(call.detail, place);
    return { ...call, place };
  });
}

/** What an execution called. */
interface CalledModel {
  readonly model_name?: string;
  readonly llm_provider: string | null;
}

/** When and how something ran, as the session tells it. */
interface TracedRun {
  readonly status?: string;
  readonly started_at?: string | null;
  readonly completed_at?: string | null;
}

function groupRow(
  head: Pick<TraceRow, "key" | "kind" | "depth" | "title" | "detail">,
  parts: readonly TraceRow[],
  run: TracedRun,
  now: number,
): TraceRow {
  const { status = "completed", started_at, completed_at } = run;
  const isRunning = status === "active";
  const start =
    instant(started_at) ?? (parts.length === 0 ? now : Math.min(...parts.map((part) => part.start)));
  const known = parts.map((part) => part.end);
  const end = instant(completed_at) ?? (isRunning ? now : Math.max(...known, start));
  const hasRun = status !== "pending";
  return {
    ...head,
    status,
    isFailed: status === "failed" || status === "timed_out",
    start,
    end: Math.max(start, end),
    segments: hasRun ? [{ kind: "run", start, end: Math.max(start, end) }] : [],
    figures: parts.reduce((sum, { figures }) => addFigures(sum, figures), NOTHING),
  };
}

function addFigures(a: RowFigures, b: RowFigures): RowFigures {
  return {
    tokens: a.tokens + b.tokens,
    usd: a.usd + b.usd,
    unpriced: a.unpriced + b.unpriced,
    calls: a.calls + b.calls,
    failures: a.failures + b.failures,
  };
}

function llmRow(call: TracedLlmCall, firstTexts: ReadonlyMap<string, number>): TraceRow {
  const { start, end } = span(call);
  const first = firstTexts.get(call.id);
  // Both times are of the database; the duration is of the executor's clock, so that a text may seem to precede its request.
  const text = first === undefined ? end : Math.min(end, Math.max(start, first));
  const tokens = call.total_tokens ?? 0;
  const isFailed = call.error_message !== undefined;
  const isUnpriced = tokens > 0 && call.estimated_cost_usd === undefined;
  return {
    key: call.id,
    kind: "llm",
    depth: 2,
    title: call.model_name,
    detail: call.interaction_type,
    status: isFailed ? "failed" : "completed",
    isFailed,
    start,
    end,
    segments: [
      { kind: "wait", start, end: text } as const,
      { kind: "stream", start: text, end } as const,
    ].filter((segment, index) => segment.end > segment.start || (index === 0 && start === end)),
    figures: {
      tokens,
      usd: call.estimated_cost_usd ?? 0,
      unpriced: isUnpriced ? 1 : 0,
      calls: 1,
      failures: isFailed ? 1 : 0,
    },
  };
}

function mcpRow(call: TracedMcpCall): TraceRow {
  const { start, end } = span(call);
  const isFailed = call.error_message !== undefined || isErrorResult(call.tool_result);
  return {
    key: call.id,
    kind: "mcp",
    depth: 2,
    title: call.tool_name === undefined ? call.server_name : `${call.server_name}.${call.tool_name}`,
    detail: call.interaction_type,
    ...(call.tool_arguments === undefined ? {} : { did: argumentsLine(JSON.stringify(call.tool_arguments)) }),
    status: isFailed ? "failed" : "completed",
    isFailed,
    start,
    end,
    segments: [{ kind: "tool", start, end }],
    figures: { ...NOTHING, calls: 1, failures: isFailed ? 1 : 0 },
  };
}

function isErrorResult(result: unknown): boolean {
  return typeof result === "object" && result !== null && "is_error" in result && result.is_error === true;
}

function span({ created_at, duration_ms }: Pick<TracedLlmCall, "created_at" | "duration_ms">) {
  const end = Date.parse(created_at);
  return { start: end - (duration_ms ?? 0), end };
}

function instant(time: string | null | undefined): number | undefined {
  return time === null || time === undefined ? undefined : Date.parse(time);
}
