import { pause } from "#shared/pause.ts";
import type { OwnedSession } from "./core/owned-session.ts";

/** Pauses for `ms` before another try; a replay need not. Throws the session's reason when cancelled. */
export async function pauseBeforeRetry(
  { signal, pacing }: Pick<OwnedSession, "signal" | "pacing">,
  ms: number,
): Promise<void> {
  await pause(pacing?.pauseMs(ms) ?? ms, signal);
}
