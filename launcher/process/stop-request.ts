import { CancelledError } from "#shared/errors.ts";

export type StopRequest = {
  /** Aborts at the first request to stop; its reason is a CancelledError such as "stopped by Ctrl-C". */
  readonly stop: AbortSignal;
  /** Aborts at a second request: end at once. */
  readonly force: AbortSignal;
  readonly dispose: () => void;
};

/** One Ctrl-C reaches us up to three times: from the terminal, through npm and through start.mjs. */
const sameRequestMs = 1_000;

/** Turns SIGINT, SIGTERM, SIGHUP and the end of the process that started us into requests to stop. */
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
    },
  };
}
