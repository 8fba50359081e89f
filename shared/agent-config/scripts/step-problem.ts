import { parseDuration } from "#shared/agent-config/parse-duration.ts";
import { STEP_ACTIONS, type ScriptStep } from "#shared/agent-config/scripts/script-schema.ts";

/** The problem of a step of a script whose shape is right; undefined if it has none. */
export function stepProblem(step: ScriptStep): string | undefined {
  const keys = Object.keys(step).filter((key) => STEP_ACTIONS.includes(key));
  if (keys.length !== 1) {
    const found = keys.length === 0 ? "none" : keys.join(" and ");
    return `must have exactly one of ${STEP_ACTIONS.join(", ")}: it has ${found}`;
  }
  const chunked = step.chunk_size !== undefined || step.chunk_delay !== undefined;
  if (chunked && step.text === undefined && step.thinking === undefined) {
    return "has chunk_size or chunk_delay: they go with text or thinking only";
  }
  if (step.error?.retry_after !== undefined && step.error.retryable !== true) {
    return "has retry_after: it goes with retryable: true only";
  }
  if (step.error?.retried !== undefined && step.error.retry_after === undefined) {
    return "has retried: it goes with retry_after only";
  }
  const durations = {
    delay: step.delay,
    chunk_delay: step.chunk_delay,
    "error.retry_after": step.error?.retry_after,
  };
  for (const [key, text] of Object.entries(durations)) {
    const duration = text === undefined ? 0 : parseDuration(text);
    if (duration === undefined || duration < 0 || duration > 3_600_000) {
      return `has ${key} "${text}": it must be a duration up to 1h, e.g. 200ms or 1.5s`;
    }
  }
  return undefined;
}
