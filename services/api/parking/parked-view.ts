import { isTerminal } from "#shared/contracts/statuses.ts";
import type { AlertSession } from "#shared/database/tables/alert-sessions.ts";
import type { SessionRuntime } from "#shared/database/tables/session-runtime.ts";
import { withoutNulls } from "../http/without-nulls.ts";

/** How a session is parked or asked to park, as shown; null if it is neither. */
export function parkedView({ status }: AlertSession, runtime: SessionRuntime | null) {
  const { park_requested_at, park_by } = runtime ?? {};
  if (!park_requested_at || !park_by || isTerminal(status) || status === "cancelling") return null;
  return {
    by: park_by,
    requested_at: park_requested_at,
    ...withoutNulls({
      actor: runtime?.park_actor ?? null,
      reason: runtime?.park_reason ?? null,
      at: runtime?.parked_at ?? null,
      until: runtime?.park_until ?? null,
    }),
  };
}
