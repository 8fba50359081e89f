import { isDatabaseSlow } from "#shared/database/connection/database-slow.ts";
import { isDatabaseUnavailable } from "#shared/database/connection/database-unavailable.ts";

/** True when the same statement may succeed later: for callers that can repeat it without a cost. */
export function isDatabaseRetryable(error: unknown): boolean {
  return isDatabaseUnavailable(error) || isDatabaseSlow(error);
}
