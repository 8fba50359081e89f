import { CancelledError } from "#shared/errors.ts";
import type { Logger } from "#shared/logger.ts";

/**
 * A signal that aborts with CancelledError `shutdown` on the first SIGTERM, SIGINT or loss of the launcher (its IPC
 * channel closes when it dies, even by SIGKILL). A second signal ends the process at once.
 */
export function shutdownSignal(log: Logger): AbortSignal {
  const controller = new AbortController();
  const stop = (cause: string) => {
    if (controller.signal.aborted) {
      if (cause === "disconnect") return; // a channel that closes during an orderly stop is no second request
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
    // Only a process that was given a channel has this: the launcher died before anybody listened.
    stop("disconnect");
  }
  return controller.signal;
}
