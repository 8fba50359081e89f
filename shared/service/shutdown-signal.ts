import { CancelledError } from "#shared/errors.ts";
import type { Logger } from "#shared/service/logger.ts";

/**
 * A signal that aborts with CancelledError `shutdown` on the first SIGTERM or SIGINT, or when the launcher is gone (its
 * IPC channel closes even after SIGKILL). A second signal ends the process immediately.
 */
export function shutdownSignal(log: Logger): AbortSignal {
  const controller = new AbortController();
  const stop = (cause: string) => {
    if (controller.signal.aborted) {
      if (cause === "disconnect") return; // the channel may close during an orderly stop
      log.warn({ cause }, "second stop request: exiting at once");
      process.exit(130);
    }
    log.info({ cause }, "stopping");
    controller.abort(new CancelledError("shutdown", `stopped by ${cause}`));
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  if (process.connected) {
    process.once("disconnect", () => stop("disconnect"));
    process.channel?.unref();
  } else if ("connected" in process) {
    // `connected` exists only in a process with an IPC channel: the launcher died before the listener was added.
    stop("disconnect");
  }
  return controller.signal;
}
