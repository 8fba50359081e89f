import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errorMessage } from "#shared/errors.ts";
import { until } from "../support/until.ts";
import { findEngine, NoEngineError, podmanEnvironment } from "./container-engine.ts";

/**
 * `npm run test:containers [-- FILE…]`: runs integration tests with Postgres and NATS in containers, by default those that
 * kill and restart servers. The exit codes are those of test:stack.
 */
const DEFAULT_FILES = [
  "shared/bus/test/*.test.ts",
  "test/e2e/investigation.test.ts",
  "test/e2e/crashes.test.ts",
];
const CANNOT_RUN = 3;

async function main(): Promise<number> {
  const engine = await findEngine();
  const directory = await mkdtemp(join(tmpdir(), "tarsy-podman-"));
  const env = podmanEnvironment();
  const socket = join(directory, "podman.sock");
  const service = spawn("podman", ["system", "service", "--time=0", `unix://${socket}`], {
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
  try {
    await until("podman's service listens", () => existsSync(socket));
    const files = process.argv.length > 2 ? process.argv.slice(2) : DEFAULT_FILES;
    const mocha = spawn(
      process.execPath,
      ["node_modules/mocha/bin/mocha.js", "--exit", "--timeout", "180000", ...files],
      {
        env: {
          ...podmanEnvironment(),
          TEST_SERVERS: "containers",
          DOCKER_HOST: `unix://${socket}`,
          // The reaper image would have to be pulled from a registry. Each test removes its own containers.
          TESTCONTAINERS_RYUK_DISABLED: "true",
          TESTCONTAINERS_HOST_OVERRIDE: "127.0.0.1",
        },
        stdio: "inherit",
      },
    );
    await once(mocha, "exit");
    return mocha.exitCode ?? 1;
  } finally {
    const exited = once(service, "exit");
    service.kill("SIGKILL");
    await exited;
    // Containers of tests that failed before their cleanup.
    const left = await engine.podman("ps", "--all", "--quiet", "--filter", "label=org.testcontainers=true");
    for (const id of left.split("\n").filter((line) => line !== "")) {
      await engine.podman("rm", "--force", "--volumes", "--time", "1", id);
    }
    await rm(directory, { recursive: true, force: true });
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${errorMessage(error)}\n`);
  process.exitCode = error instanceof NoEngineError && error.reason === "forbidden" ? CANNOT_RUN : 1;
}
