/** The limits of an executor as one sentence, which also says when further executors have nothing to do. */
export function describeLimits({
  slots,
  maxRunning,
}: {
  /** Sessions that this executor runs at a time. */
  readonly slots: number;
  /** Sessions that all executors together run at a time. */
  readonly maxRunning: number;
}): string {
  const limits = `runs up to ${Math.min(slots, maxRunning)} sessions at a time, all executors together ${maxRunning}`;
  if (slots < maxRunning) return limits;
  return `${limits}: further executors stand by until queue.max_concurrent_sessions is raised`;
}
