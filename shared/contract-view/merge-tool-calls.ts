import { completedCall, openCallMetadata } from "#shared/contract-view/tool-call-entry.ts";
import {
  isTerminal,
  type RunStatus,
  type TimelineEventType,
  type TimelineStatus,
} from "#shared/contracts/statuses.ts";

/** The columns that the merging needs of a row of `timeline_events`. */
export interface TimelineRow {
  readonly execution_id: string;
  readonly event_type: TimelineEventType;
  readonly status: TimelineStatus;
  readonly content: string;
  readonly metadata: object | null;
  /** A call and its result have the same one; null before the result. */
  readonly mcp_interaction_id: string | null;
  readonly updated_at: Date;
}

/**
 * Turns the two rows of a tool call, `llm_tool_call` and `tool_result`, into one `llm_tool_call`: streaming and empty until its
 * result, then with the result as content. A call without a result has the status of its execution once that has ended, and
 * a result without its call is an entry of its own. Other rows and the order stay.
 */
export function mergeToolCalls<R extends TimelineRow>(
  rows: readonly R[],
  executions: readonly { readonly execution_id: string; readonly status: RunStatus }[],
): R[] {
  const calls = new Set(rows.filter(isCall).flatMap(({ mcp_interaction_id: id }) => id ?? []));
  const results = new Map(
    rows.flatMap((row) =>
      row.event_type === "tool_result" && row.mcp_interaction_id !== null
        ? [[row.mcp_interaction_id, row] as const]
        : [],
    ),
  );
  const endings = new Map(executions.map(({ execution_id, status }) => [execution_id, status]));
  return rows.flatMap((row) => {
    if (isCall(row)) {
      const result = row.mcp_interaction_id === null ? undefined : results.get(row.mcp_interaction_id);
      return [result === undefined ? openEntry(row, endings.get(row.execution_id)) : entry(row, result)];
    }
    if (row.event_type !== "tool_result") return [row];
    if (row.mcp_interaction_id !== null && calls.has(row.mcp_interaction_id)) return [];
    return [{ ...row, event_type: "llm_tool_call", ...completedCall(row) }];
  });
}

function isCall({ event_type }: TimelineRow): boolean {
  return event_type === "llm_tool_call";
}

function openEntry<R extends TimelineRow>(call: R, execution: RunStatus | undefined): R {
  const status =
    execution === undefined || !isTerminal(execution)
      ? "streaming"
      : execution === "completed"
        ? "cancelled"
        : execution;
  return { ...call, status, content: "", metadata: openCallMetadata(call.metadata) };
}

function entry<R extends TimelineRow>(call: R, result: R): R {
  const { metadata, ...ending } = completedCall(result);
  return {
    ...call,
    ...ending,
    metadata: { ...openCallMetadata(call.metadata), ...metadata },
    updated_at: result.updated_at,
  };
}
