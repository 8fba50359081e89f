import { BUILT_IN_SERVER } from "#shared/contracts/built-in-server.ts";
import type { PendingSummary } from "#shared/contracts/iteration-state.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import { safeCut } from "#shared/safe-cut.ts";
import { RESULT_TOOL_NAMES } from "../../controllers/built-in-tools.ts";
import { CHARS_PER_TOKEN } from "#shared/contracts/chars-per-token.ts";

/** The size of a text in tokens, estimated. */
export function tokensOf({ bytes }: Pick<PendingSummary, "bytes">): number {
  return Math.ceil(bytes / CHARS_PER_TOKEN);
}

/** The summary of a reply: trimmed, Postgres-safe, and cut with a remark beyond the limit. */
export function cutSummary(reply: string, maxTokens: number): string {
  const whole = postgresSafeText(reply.trim()).text;
  const cut = whole.slice(0, safeCut(whole, maxTokens * CHARS_PER_TOKEN));
  if (cut.length === whole.length) return whole;
  return `${cut.trimEnd()}…\n[The summary is cut here: it is longer than ${maxTokens} tokens.]`;
}

/** What the model is told instead of a large result. */
export function summaryMessage(
  summary: string,
  result: Pick<PendingSummary, "handle" | "bytes" | "lines">,
): string {
  const tools = RESULT_TOOL_NAMES.map((name) => `${BUILT_IN_SERVER}.${name}`).join(", ");
  const note = [
    `[Summary, by a model, of a result that is too large to be shown: ${result.bytes} bytes (about ${tokensOf(result)} tokens) in ${result.lines} lines.`,
    `The whole text is kept: read on with ${tools}, id "${result.handle}".]`,
  ];
  return [...note, summary].join("\n");
}
