/**
 * The finish reason that a repair gives an answer which ended with its API's end mark but stated no reason. Nothing then says
 * that the last tool call is complete, so its arguments must speak for themselves.
 */
export const NO_REASON = "end_mark_only";
