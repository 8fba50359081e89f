const MAX_TRIES = 5;
/** A transaction with one snapshot whose rows another one has changed, and one that was the victim of a deadlock. */
const CONFLICTS: ReadonlySet<unknown> = new Set(["40001", "40P01"]);

/** Repeats a transaction that met a concurrent one. Throws its error after five tries, and any other error at once. */
export async function retrySerialization<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run();
    } catch (error) {
      const isConflict = error instanceof Error && "code" in error && CONFLICTS.has(error.code);
      if (tries === MAX_TRIES || !isConflict) throw error;
    }
  }
}
