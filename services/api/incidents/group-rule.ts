import type { Grouping } from "#shared/agent-config/schemas/grouping.ts";
import { parseDuration } from "#shared/agent-config/parse-duration.ts";
import { parsePointer, type JsonPointer } from "../alerts/json-pointer.ts";

/** How alerts are grouped, by a chain, a webhook or ALERT_FINGERPRINT_PATH. */
export interface GroupRule {
  /** What the alerts of a group have in common; empty where the source names its groups itself. */
  readonly by: readonly JsonPointer[];
  /** How long after the end of the session alerts still belong to it, in milliseconds. */
  readonly windowMs: number;
  /** What an alert after the end of the session does. */
  readonly onLate: "count" | "reopen";
  /** What the running session does once the incident is over. */
  readonly onResolved: "continue" | "conclude" | "cancel";
  /** How an alert says that it is over; absent where the source says so itself, or none does. */
  readonly resolved?: {
    readonly path: JsonPointer;
    readonly values: readonly string[];
    /** What tells the alerts of a group apart; empty: they are all alike. */
    readonly alert: readonly JsonPointer[];
  };
}

const HOUR_MS = 3_600_000;

/** The rule of ALERT_FINGERPRINT_PATH: a repetition starts no session for a day after the first one's end. */
export function fingerprintRule(by: readonly JsonPointer[]): GroupRule {
  return { by, windowMs: 24 * HOUR_MS, onLate: "count", onResolved: "continue" };
}

/** The rule of a `grouping` in tarsy.yaml. */
export function groupRule({
  by = [],
  window,
  on_late = "count",
  on_resolved = "continue",
  resolved,
}: Partial<Grouping>): GroupRule {
  return {
    by: pointers(by),
    windowMs: parseDuration(window ?? "") ?? HOUR_MS,
    onLate: on_late,
    onResolved: on_resolved,
    ...(resolved === undefined
      ? {}
      : {
          resolved: {
            path: parsePointer(resolved.path) ?? [],
            values: resolved.values,
            alert: pointers(resolved.alert ?? []),
          },
        }),
  };
}

function pointers(texts: readonly string[]): JsonPointer[] {
  return texts.flatMap((text) => {
    const pointer = parsePointer(text);
    return pointer === undefined ? [] : [pointer];
  });
}
