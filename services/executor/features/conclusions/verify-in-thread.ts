import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { CheckedClaim } from "#shared/contracts/conclusion.ts";
import { runTextThread } from "../../tools/built-in/text-thread.ts";
import type { Citation, Source } from "./verify-quotes.ts";

/** Only a machine that is too busy needs longer: the work itself has a limit. */
const LIMIT_MS = 2_000;

const parseChecked = compileParser("checked claims", Type.Array(CheckedClaim));

/**
 * Compares quotes as `verifyQuotes` does, in the thread that reads large texts. Throws TextThreadError if it takes more than 2 s or
 * fails, and the signal's reason.
 */
export async function verifyInThread(
  citations: readonly Citation[],
  sources: readonly Source[],
  signal: AbortSignal,
): Promise<CheckedClaim[]> {
  const task = {
    kind: "verify" as const,
    citations: [...citations],
    sources: sources.map(({ id, text, kind, also }) => ({
      id,
      text,
      kind,
      ...(also && { also: [...also] }),
    })),
  };
  return parseChecked(await runTextThread(() => Promise.resolve({ task, limitMs: LIMIT_MS }), signal));
}
