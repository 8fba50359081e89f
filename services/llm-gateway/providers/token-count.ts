const MAX_INT32 = 2_147_483_647;

/**
 * A provider's token count as an int32, the type in UsageInfo: a value out of range must not fail a call that was
 * answered.
 */
export function tokenCount(value: number | undefined): number {
  return Math.min(MAX_INT32, Math.max(0, Math.trunc(value ?? 0)));
}
