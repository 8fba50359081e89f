import type { Door } from "#shared/access/door.ts";
import { isDatabaseRetryable } from "#shared/database/connection/database-retryable.ts";
import type { Identity } from "#shared/access/identity.ts";
import { pause } from "#shared/pause.ts";

const CHECK_EVERY_MS = 15_000;

/**
 * Resolves once the identity's credential has expired or was revoked, at most 20 s after a revocation, so that an open stream
 * ends with it. Never settles for one that cannot; otherwise rejects with the signal's reason.
 */
export async function untilInactive(
  door: Pick<Door, "isActive">,
  identity: Identity,
  signal: AbortSignal,
): Promise<void> {
  const { expiresAt, keyId } = identity;
  for (;;) {
    const left = expiresAt === undefined ? Infinity : Math.max(0, expiresAt - Date.now());
    // Nothing to wait for, so nothing holds on to the signal either.
    if (left === Infinity && keyId === undefined) return new Promise(() => undefined);
    await pause(Math.min(left, CHECK_EVERY_MS), signal);
    try {
      if (!(await door.isActive(identity))) return;
    } catch (error) {
      if (!isDatabaseRetryable(error)) throw error;
    }
  }
}
