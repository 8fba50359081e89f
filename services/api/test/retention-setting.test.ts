import { expect } from "chai";
import { testConfigDirectory } from "../../../test/support/config-directory.ts";
import { loadApiConfig } from "../config.ts";

/** Not connected to. */
const SERVERS = {
  DATABASE_URL: "postgres://localhost/tarsy",
  NATS_URL: "nats://localhost",
  NATS_ADMIN_URL: "nats://localhost",
};

describe("how long the api keeps sessions", () => {
  const days = async (retention: object, env: object = {}) => {
    await using directory = await testConfigDirectory({
      tarsy: { defaults: { llm_provider: "scripted" }, system: { retention } },
    });
    const { retentionDays } = await loadApiConfig({ CONFIG_DIR: directory.path, ...SERVERS, ...env });
    return retentionDays;
  };

  it("is the environment's word, else that of the configuration, else 90 days", async () => {
    const RETENTION_DAYS = "7";
    expect(await days({})).to.equal(90);
    expect(await days({ session_retention_days: 365 })).to.equal(365);
    expect(await days({ session_retention_days: 365 }, { RETENTION_DAYS: "" })).to.equal(365);
    expect(await days({ session_retention_days: 365 }, { RETENTION_DAYS })).to.equal(7);
  });
});
