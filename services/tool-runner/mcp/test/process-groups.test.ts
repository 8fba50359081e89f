import { spawn } from "node:child_process";
import { once } from "node:events";
import { env, execPath } from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { until } from "../../../../test/support/until.ts";
import { isRunning } from "./server-fixture.ts";

describe("the processes of stdio servers", () => {
  it("do not survive a runner that is killed, nor do their children", async () => {
    const runner = spawn(execPath, [fileURLToPath(new URL("killed-runner.ts", import.meta.url))], {
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      const lines: unknown[] = await once(createInterface({ input: runner.stdout }), "line");
      const pids = String(lines[0]).split(" ").map(Number);
      expect(pids.filter(isRunning)).to.have.length(11);
      runner.kill("SIGKILL");
      await until("all are gone", () => !pids.some(isRunning));
    } finally {
      runner.kill("SIGKILL");
    }
  });
});
