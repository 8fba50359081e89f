import { CancelledError } from "#shared/errors.ts";

export type StopRequest = {
  /** Aborts at the first stop request; the reason is a CancelledError such as "stopped by Ctrl-C". */
  readonly stop: AbortSignal;
  /** Aborts at the second stop request: kill everything immediately. */
  readonly force: AbortSignal;
  readonly dispose: () => void;
};

/** One Ctrl-C arrives up to three times: from the terminal, through npm and through start.mjs. */
const sameRequestMs = 1_000;

/** Turns SIGINT, SIGTERM, SIGHUP and the end of the parent process into stop requests. */
export function listenForStop(now: () => number = () => performance.now()): StopRequest {
  const stop = new AbortController();
  const force = new AbortController();
  let firstAt = 0;
  const request = (cause: string): void => {
    if (!stop.signal.aborted) {
      firstAt = now();
      stop.abort(new CancelledError("shutdown", `stopped by ${cause}`));
    } else if (now() - firstAt > sameRequestMs) {
      force.abort();
    }
  };
  const onInterrupt = (): void => request("Ctrl-C");
  const onTerminate = (): void => request("a stop signal");
  const onHangUp = (): void => request("the end of the terminal");
  const onDisconnect = (): void => {
    if (!stop.signal.aborted) request("the end of the starting process");
  };
  process.on("SIGINT", onInterrupt).on("SIGTERM", onTerminate).on("SIGHUP", onHangUp);
  if (process.connected) {
    process.once("disconnect", onDisconnect);
    process.channel?.unref();
  }
  return {
    stop: stop.signal,
    force: force.signal,
    dispose: () => {
      process.off("SIGINT", onInterrupt).off("SIGTERM", onTerminate).off("SIGHUP", onHangUp);
      process.off("disconnect", onDisconnect);
      // Otherwise a process that only waits for its parent's messages would end.
      if (process.connected) process.channel?.ref();
    },
  };
}
