import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { BUILT_IN_SERVER } from "#shared/contracts/tool-names.ts";
import { CHARS_PER_TOKEN, MIN_SHOWN_CHARS, DEFAULT_RESULT_TOKENS } from "#shared/contracts/result-sizes.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { MEMORY_TOOL_NAMES } from "#shared/contracts/memory.ts";
import type { RecordedKept, RecordedOutcome } from "#shared/contracts/recorded-tools.ts";
import { withSubAgents, type ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import { toolCallId, MAX_RESULT_BYTES } from "#shared/contracts/tool-call.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { showResult } from "#shared/tool-results/show-result.ts";
import { RequestError, validationError } from "../http/request-error.ts";
import type { ForkChanges } from "./contract.ts";

const Call = Type.Object({
  interaction_id: Type.String(),
  execution_id: Type.String(),
  server_name: Type.String(),
  tool_name: Type.String(),
  seq: Type.Union([Type.Integer(), Type.Null()]),
  iteration: Type.Union([Type.Integer(), Type.Null()]),
  index: Type.Union([Type.Integer(), Type.Null()]),
  kind: Type.Union([Type.String(), Type.Null()]),
});
const parseCall = compileParser("tool call of a session", Call);

const READ = `
SELECT interaction_id, execution_id, server_name, coalesce(tool_name, '') AS tool_name, seq, (outcome ->> 'iteration')::int AS iteration,
       (outcome ->> 'index')::int AS index, outcome ->> 'kind' AS kind
FROM mcp_interactions WHERE session_id = $1 AND interaction_type = 'tool_call' AND ($2::uuid IS NULL OR interaction_id = $2)`;

/** The call whose result a fork edits. */
export interface EditedCall {
  readonly interactionId: string;
  readonly executionId: string;
  readonly serverName: string;
  readonly iteration: number;
  readonly index: number;
  /** The newest event after the step that stored its result. */
  readonly seq: number;
}

/** Finds the call whose result is edited. Throws RequestError 400 for one that there is not, or that gets no result from a tool. */
export async function findEditedCall(
  db: Queryable,
  sessionId: string,
  edited: NonNullable<ForkChanges["tool_result"]>,
): Promise<EditedCall> {
  const { interaction_id, call_id } = edited;
  const field = `changes.tool_result.${interaction_id === undefined ? "call_id" : "interaction_id"}`;
  const calls = await selectRows(db, parseCall, READ, [sessionId, interaction_id?.toLowerCase() ?? null]);
  const call =
    interaction_id === undefined ? calls.find((one) => idOf(one) === call_id?.toLowerCase()) : calls[0];
  if (call === undefined) {
    throw validationError(field, "is none of the session's tool calls that have a result");
  }
  const { iteration, index, seq, kind, server_name, tool_name } = call;
  if (iteration === null || index === null || seq === null) {
    throw new RequestError(409, `${field}: a version that did not keep the place of calls has made this one`);
  }
  const isRecorded = server_name !== BUILT_IN_SERVER || MEMORY_TOOL_NAMES.some((name) => name === tool_name);
  if (!isRecorded || kind === "refused" || kind === "unknown_tool") {
    throw validationError(field, `must be a call that a tool has answered, not ${describe(call)}`);
  }
  const { execution_id: executionId, interaction_id: interactionId } = call;
  return { interactionId, executionId, serverName: server_name, iteration, index, seq };
}

function idOf({ execution_id, iteration, index }: Static<typeof Call>): string | undefined {
  return iteration === null || index === null ? undefined : toolCallId(execution_id, { iteration, index });
}

function describe({ server_name, tool_name, kind }: Static<typeof Call>): string {
  const name = server_name === "" ? tool_name : `${server_name}.${tool_name}`;
  return kind === "refused" || kind === "unknown_tool"
    ? `one of ${name} that was not made`
    : `one of ${name}, which TARSy answers itself`;
}

/** The outcome that a fork's executor answers the call with: cut and kept as a result of the tool would be. */
export function editedOutcome(
  content: string,
  chain: ResolvedChain,
  { serverName, handle }: { readonly serverName: string; readonly handle: string },
): { readonly outcome: RecordedOutcome; readonly kept: RecordedKept | null } {
  const providers = chain.stages
    .flatMap(({ agents }) => agents.flatMap(withSubAgents))
    .map(({ llm_provider }) => llm_provider.max_tool_result_tokens);
  const tokens = Math.min(
    chain.mcp_server_result_tokens?.[serverName] ?? DEFAULT_RESULT_TOKENS,
    ...providers,
  );
  const limit = Math.min(MAX_RESULT_BYTES, Math.max(MIN_SHOWN_CHARS, tokens * CHARS_PER_TOKEN));
  const whole = { text: content, totalBytes: Buffer.byteLength(content), isWhole: true, isText: true };
  const shown = showResult(whole, limit, handle);
  const outcome = { kind: "result", content: shown.content, is_error: false } as const;
  if (shown.kept === null) return { outcome, kept: null };
  const { bytes, lines, text } = shown.kept;
  return { outcome, kept: { handle, bytes, lines, content: text } };
}
