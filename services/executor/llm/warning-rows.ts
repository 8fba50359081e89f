import { createHash } from "node:crypto";
import { TOOLS_LEFT_OUT } from "#shared/contracts/llm-error-codes.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import type { WholeRow } from "../persist/timeline-writer.ts";
import type { LlmReply } from "./llm-reply.ts";

/** Different warnings of one execution that are shown; further ones are only in the records of their calls. */
const MAX_SHOWN = 20;
const KEY_LENGTH = 12;

/** The rows that a call's warnings add to the timeline. */
interface ShownWarnings {
  readonly rows: readonly Omit<WholeRow, "interactionId">[];
  /** Keys of all warnings of the execution that were shown, in their order. */
  readonly shown: readonly string[];
  /** True if the agent goes on without tools that it should have. */
  readonly isDegraded: boolean;
}

/** The timeline's rows for those warnings of a call that its execution has not shown yet: a gateway repeats them with each call. */
export function warningRows(
  { warnings }: Pick<LlmReply, "warnings">,
  before: readonly string[] = [],
): ShownWarnings {
  const shown = [...before];
  const rows: Omit<WholeRow, "interactionId">[] = [];
  let isDegraded = false;
  for (const { code, message } of warnings) {
    const key = createHash("sha256").update(`${code} ${message}`).digest("hex").slice(0, KEY_LENGTH);
    if (shown.includes(key) || shown.length >= MAX_SHOWN) continue;
    shown.push(key);
    isDegraded ||= code === TOOLS_LEFT_OUT;
    const content = `LLM warning: ${postgresSafeText(message).text} (code: ${postgresSafeText(code).text})`;
    rows.push({ type: "error", content, metadata: { warning: postgresSafeText(code).text } });
  }
  return { rows, shown, isDegraded };
}
