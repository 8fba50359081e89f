import type { PendingSummary } from "#shared/contracts/iteration-state.ts";
import type { ResolvedProvider, ResolvedSummaries } from "#shared/contracts/resolved-chain.ts";
import type { ExecutionRun } from "../../core/execution-run.ts";
import { buildToolSummaryMessages } from "../../prompts/build-tool-summary-messages.ts";
import type { PromptMessage } from "../../prompts/prompt-input.ts";
import { CHARS_PER_TOKEN } from "#shared/contracts/result-sizes.ts";
import { toolNames } from "../../tools/record-tool-call.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { safeCut } from "#shared/safe-cut.ts";
import type { StoredMessage } from "../../state/agent-memory.ts";

/** The most tokens of the summarized text. */
const MAX_TEXT_TOKENS = 100_000;
/** Of that, the part that the conversation may have beside it. */
const CONVERSATION = 0.25;

/** The input of a call for a summary. */
export interface SummaryInput {
  /** With placeholders for variables. */
  readonly messages: readonly PromptMessage[];
  /** The same without the result's text, which is kept elsewhere: for the record of the call. */
  readonly recorded: readonly PromptMessage[];
  /** The limit that the summary is cut at, in tokens. */
  readonly maxTokens: number;
}

/** Reads the text of a large result and builds the messages that request its summary; null if it is kept no more. */
export async function summaryInput(
  { session, state }: ExecutionRun,
  {
    result,
    settings,
    provider,
  }: {
    readonly result: PendingSummary;
    readonly settings: ResolvedSummaries;
    readonly provider: ResolvedProvider;
  },
): Promise<SummaryInput | null> {
  const textTokens = Math.min(MAX_TEXT_TOKENS, provider.max_tool_result_tokens);
  const output = await readKeptText(session, result.handle, textTokens * CHARS_PER_TOKEN);
  if (output === null) return null;
  const before = state.messages.filter(({ sequence_number }) => sequence_number < result.message);
  const { server_name: server, tool_name: tool } = toolNames(result.name);
  const maxTokens = Math.min(settings.max_tokens, state.agent.llm_provider.max_tool_result_tokens);
  const input = {
    server,
    tool,
    maxTokens,
    conversation: conversationText(before, textTokens * CONVERSATION * CHARS_PER_TOKEN),
    nonce: state.alert.nonce,
  };
  return {
    messages: buildToolSummaryMessages({ ...input, output }),
    recorded: buildToolSummaryMessages({
      ...input,
      output: `[${output.length} characters of the result that is kept under the id ${result.handle}]`,
    }),
    maxTokens,
  };
}

/** The part of the room for the start of a text; its end gets the rest. */
const HEAD = 0.7;

/** The database sends no more than is used: a kept text may have 16 MiB. */
const READ = `
SELECT length(content) AS chars, left(content, $3::int) AS head,
       CASE WHEN length(content) > $3::int + $4::int THEN right(content, $4::int) ELSE substr(content, $3::int + 1) END AS tail
FROM tool_results WHERE call_id = $1 AND session_id = $2`;
const parseText = compileParser(
  "kept tool result",
  Type.Object({ chars: Type.Integer(), head: Type.String(), tail: Type.String() }),
);

/**
 * The text that is kept under `handle`, or its start and its end if it has more than `maxChars` characters; null if it is kept
 * no more.
 */
async function readKeptText(
  { db, sessionId }: { readonly db: Queryable; readonly sessionId: string },
  handle: string,
  maxChars: number,
): Promise<string | null> {
  const headChars = Math.floor(maxChars * HEAD);
  const tailChars = maxChars - headChars;
  const [row] = await selectRows(db, parseText, READ, [handle, sessionId, headChars, tailChars]);
  if (row === undefined) return null;
  const { chars, head, tail } = row;
  const left = chars - headChars - tailChars;
  return left <= 0 ? head + tail : `${head}\n[… not shown: ${left} characters …]\n${tail}`;
}

const LEFT_OUT = "[Earlier messages are left out.]";

/**
 * An agent's conversation as text, without its instructions: the newest messages that fit `maxChars`, in their order; of the
 * first of them the start, if no more fits.
 */
export function conversationText(messages: readonly StoredMessage[], maxChars: number): string {
  const shown: string[] = [];
  let room = maxChars;
  const said = messages.filter(({ role }) => role !== "system").toReversed();
  for (const message of said) {
    const text = messageText(message);
    if (text.length > room) {
      const start = text.slice(0, safeCut(text, Math.max(0, room)));
      if (start !== "") shown.push(`${start}…`);
      shown.push(LEFT_OUT);
      break;
    }
    shown.push(text);
    room -= text.length;
  }
  return shown.toReversed().join("\n\n");
}

function messageText({ role, content, tool_calls, tool_name }: StoredMessage): string {
  const calls = (tool_calls ?? []).map(({ name, arguments: json }) => `Calls ${name} with ${json}`);
  const author = role === "tool" ? `Result of ${tool_name ?? "a tool"}` : AUTHORS[role];
  return [`${author}:`, ...(content === "" ? [] : [content]), ...calls].join("\n");
}

const AUTHORS = { system: "Instructions", user: "User", assistant: "Investigator" } as const;
