import { once } from "node:events";
import { expect } from "chai";
import { TIME_SCALE } from "#shared/contracts/durations.ts";
import { BackingServers } from "../support/backing-servers.ts";
import { testConfigDirectory } from "../support/config-directory.ts";
import { TarsySystem } from "../support/tarsy-system.ts";

const WITH_DATABASE = ["api", "executor", "tool-runner", "notifier"] as const;

describe("services on a database that they must not use", () => {
  /** Starts each service; all have to end with the exit code that stops restarts. Resolves with what they say. */
  const refusals = async (servers: BackingServers, env: Readonly<Record<string, string>> = {}) => {
    await using config = await testConfigDirectory();
    await using system = await TarsySystem.prepare({ servers, configDir: config.path, env });
    for (const name of WITH_DATABASE) {
      const service = await system.launchService(name);
      await once(service.process, "close");
      expect(service.process.exitCode, system.output).to.equal(78);
    }
    return system.output;
  };

  it("refuse one whose schema a newer version has contracted", async () => {
    await using servers = await BackingServers.share();
    await servers.query("UPDATE schema_support SET needs_migration = 99", []);
    const said = (await refusals(servers)).match(/needs a version that knows migration 99/gu);
    expect(said).to.have.length(WITH_DATABASE.length);
  });

  it("refuse one that is for another time scale", async () => {
    await using servers = await BackingServers.share();
    // In npm test services of production on a database for tests; in the nightly run the reverse.
    const scale = TIME_SCALE === 1 ? 4 : 1;
    const sentence = `TARSY_TIME_SCALE is ${scale}, and the database is one for a scale of ${TIME_SCALE}`;
    const said = (await refusals(servers, { TARSY_TIME_SCALE: String(scale) })).split(sentence);
    expect(said).to.have.length(WITH_DATABASE.length + 1);
  });
});
