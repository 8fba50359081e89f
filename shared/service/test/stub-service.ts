import { once } from "node:events";
import { RetryableError, TerminalError } from "#shared/errors.ts";
import { runService } from "#shared/service/run-service.ts";
import { readServiceConfig } from "#shared/service/service-config.ts";

// A service that only logs what happens to it; its argument selects a fault.
const [, , fault] = process.argv;
let starts = 0;

await runService(
  "stub",
  async (env) => {
    if (fault === "slow-config") await once(process, "disconnect");
    return readServiceConfig(env, { name: "STUB_PORT", fallback: 0 });
  },
  async ({ log, signal, resources }) => {
    // Something that keeps a process alive, as a server would.
    resources.adopt(
      setInterval(() => undefined, 1_000),
      (timer) => clearInterval(timer),
    );
    resources.defer(() => log.info("first released"));
    resources.defer(async () => {
      if (fault === "slow-release") await new Promise(() => undefined);
      log.info("second released");
    });
    starts += 1;
    if (fault === "broken-start" && starts === 1) throw new RetryableError("not_connected", "NATS is gone");
    // As Node tells of a socket, or pg of a server.
    const epipe = Object.assign(new Error("write EPIPE"), { code: "EPIPE" });
    if (fault === "broken-start" && starts === 2) throw epipe;
    if (fault === "broken-start" && starts === 3) throw new Error("Connection terminated unexpectedly");
    if (fault === "failing-start") throw new TerminalError("x", "the port is taken");
    if (fault === "waiting-start") {
      await new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(new Error("stopped while starting")));
        log.info("starting");
      });
    }
  },
);
