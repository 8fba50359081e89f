/** The effects of a tool, from harmless to irreversible. It decides whether a call may be made again after a crash. */
export const TOOL_EFFECTS = ["read", "idempotent", "write", "destructive"] as const;
export type ToolEffect = (typeof TOOL_EFFECTS)[number];

/** True if a call may be made again although an earlier one may have taken effect. */
export function isRepeatable(effect: ToolEffect): boolean {
  return effect === "read" || effect === "idempotent";
}

/** The less harmless of two opinions. */
export function stricterEffect(one: ToolEffect, other: ToolEffect): ToolEffect {
  return TOOL_EFFECTS.indexOf(one) > TOOL_EFFECTS.indexOf(other) ? one : other;
}
