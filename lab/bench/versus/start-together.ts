/**
 * Starts several things at once and hands them to `resources`, in the order of the list. If one fails, the others are started
 * all the same, so that `resources` releases them; then the first failure is thrown.
 */
export async function startTogether<T extends AsyncDisposable>(
  resources: AsyncDisposableStack,
  starts: readonly (() => Promise<T>)[],
): Promise<T[]> {
  const settled = await Promise.allSettled(starts.map((start) => start()));
  const started = settled.flatMap((result) =>
    result.status === "fulfilled" ? [resources.use(result.value)] : [],
  );
  const failed = settled.find((result) => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  return started;
}
