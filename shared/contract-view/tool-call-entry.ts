import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { BUILT_IN_SERVER } from "#shared/contracts/tool-names.ts";
import { MEMORY_TOOL_NAMES } from "#shared/contracts/memory.ts";
import type { TerminalStatus } from "#shared/contracts/statuses.ts";
import { safeCut } from "#shared/safe-cut.ts";

/** The most of a failed call's result that its `error_message` repeats. */
const MAX_ERROR_MESSAGE = 500;

const parseResult = compileParser(
  "metadata of a tool result",
  Type.Object(
    {
      is_error: Type.Boolean(),
      /** The `event_id` of the call's `llm_tool_call`. */
      call_event_id: Type.String(),
      /** The time that the call took, as its interaction says. */
      duration_ms: Type.Integer(),
    },
    { additionalProperties: true },
  ),
);

const parseNames = compileParser(
  "names of a tool call",
  Type.Object(
    {
      server_name: Type.Optional(Type.String()),
      tool_name: Type.Optional(Type.String()),
      arguments: Type.Optional(Type.Unknown()),
    },
    { additionalProperties: true },
  ),
);

/** A stored `tool_result` as far as the entry of its call needs it. */
interface StoredResult {
  readonly content: string;
  readonly metadata?: object | null;
}

/** The metadata of a stored `llm_tool_call` as the entry shows it while the call runs: its arguments are JSON text. */
export function openCallMetadata(stored: object | null | undefined): object {
  const { arguments: given } = parseNames(stored ?? {});
  const shown = given === undefined || typeof given === "string" ? {} : { arguments: JSON.stringify(given) };
  return { ...stored, ...shown, ...typeOf(stored) };
}

/** The members that a result adds to its call's entry. */
export function completedCall({ content, metadata }: StoredResult): {
  readonly status: TerminalStatus;
  readonly content: string;
  readonly metadata: object;
} {
  const { call_event_id: _call, is_error, ...rest } = parseResult(metadata ?? {});
  return {
    status: is_error ? "failed" : "completed",
    content,
    metadata: {
      ...rest,
      ...typeOf(metadata),
      is_error,
      ...(is_error ? { error_message: content.slice(0, safeCut(content, MAX_ERROR_MESSAGE)) } : {}),
    },
  };
}

interface ShownType {
  readonly tool_type: "mcp" | "skill" | "memory";
  readonly server_name?: string;
}

/** Skills and memories are read by built-in tools, which the contract shows as those of servers of their own. */
function typeOf(stored: object | null | undefined): ShownType {
  const { server_name, tool_name } = parseNames(stored ?? {});
  if (server_name !== BUILT_IN_SERVER) return { tool_type: "mcp" };
  if (tool_name === "load_skill") return { tool_type: "skill", server_name: "skill" };
  const isMemory = MEMORY_TOOL_NAMES.some((name) => name === tool_name);
  return isMemory ? { tool_type: "memory", server_name: "memory" } : { tool_type: "mcp" };
}

/** The `event_id` of the call that a result names. */
export function callOfResult(metadata: object | null | undefined): string {
  return parseResult(metadata ?? {}).call_event_id;
}
