import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { KEPT_RESULT_LIMITS } from "#shared/contracts/result-sizes.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import { showResult } from "#shared/tool-results/show-result.ts";
import type { OwnedSession } from "../core/owned-session.ts";
import type { ToolOutcome } from "./tool-outcome.ts";

const parseUsed = compileParser("room of kept results", Type.Object({ bytes: Type.Number() }));
const USED = "SELECT coalesce(sum(bytes), 0)::float8 AS bytes FROM tool_results WHERE session_id = $1";

/**
 * The outcome with a text that no tool-runner has returned: whole, or a window of it if it is longer than `maxChars`. The whole text is then
 * kept under `handle`, as far as the session has room. Throws database errors.
 */
export async function shownOutcome(
  session: Pick<OwnedSession, "db" | "sessionId">,
  written: string,
  {
    maxChars,
    handle,
    isError,
  }: { readonly maxChars: number; readonly handle: string; readonly isError: boolean },
): Promise<ToolOutcome> {
  const { text } = postgresSafeText(written);
  const whole = { text, totalBytes: Buffer.byteLength(text), isWhole: true, isText: true };
  const { content, kept } = showResult(whole, maxChars, handle);
  if (kept === null) return { kind: "result", content, isError };
  const hasRoom = (await usedBytes(session)) + kept.bytes <= KEPT_RESULT_LIMITS.session;
  return hasRoom
    ? { kind: "result", content, isError, kept }
    : { kind: "result", content: kept.windowAlone, isError };
}

async function usedBytes({ db, sessionId }: Pick<OwnedSession, "db" | "sessionId">): Promise<number> {
  const [used] = await selectRows(db, parseUsed, USED, [sessionId]);
  return used?.bytes ?? 0;
}
