import { isDatabaseSlow } from "#shared/database/database-slow.ts";
import { isDatabaseUnavailable } from "#shared/database/database-unavailable.ts";

/** True when the same statement may succeed later: for callers that can repeat it without a cost. */
export function isDatabaseRetryable(error: unknown): boolean {
  return isDatabaseUnavailable(error) || isDatabaseSlow(error);
}
