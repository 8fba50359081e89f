import { setTimeout as wait } from "node:timers/promises";
import { errorMessage } from "#shared/errors.ts";
import type { Logger } from "#shared/logger.ts";

/** What is sent behind an answer, and only speeds up what the sweeper would do. */
export interface BackgroundWork extends AsyncDisposable {
  /** Starts it; a failure is logged, with `what` as its subject. */
  start(what: string, work: () => Promise<void>): void;
}

/** How long what was sent may take to reach the server: a link that is dead must not delay a stop. */
const LAST_WORD_MS = 2_000;

/** Disposing waits for what is under way, but not for ever. */
export function openBackgroundWork(log: Logger): BackgroundWork {
  const underWay = new Set<Promise<void>>();
  return {
    start: (what, work) => {
      const done = work()
        .catch((error: unknown) =>
          log.warn({ error: errorMessage(error) }, `${what} not sent: the sweeper will see to it`),
        )
        .finally(() => underWay.delete(done));
      underWay.add(done);
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.race([Promise.all(underWay), wait(LAST_WORD_MS, undefined, { ref: false })]);
    },
  };
}
