import { once } from "node:events";
import { expect } from "chai";
import { BackingServers } from "../support/backing-servers.ts";
import { testConfigDirectory } from "../support/config-directory.ts";
import { TarsySystem } from "../support/tarsy-system.ts";

describe("services on a schema that a newer version has contracted", () => {
  it("refuse to start, with the exit code that stops restarts and a sentence", async () => {
    await using servers = await BackingServers.share();
    await using config = await testConfigDirectory();
    await servers.query("UPDATE schema_support SET needs_migration = 99", []);
    await using system = await TarsySystem.prepare({ servers, configDir: config.path });
    for (const name of ["api", "executor", "tool-runner", "notifier"] as const) {
      const service = await system.launchService(name);
      await once(service.process, "close");
      expect(service.process.exitCode, system.output).to.equal(78);
    }
    const refusals = system.output.match(/needs a version that knows migration 99/gu);
    expect(refusals).to.have.length(4);
  });
});
