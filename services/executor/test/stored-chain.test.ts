import { expect } from "chai";
import { keepConfig, storedConfig } from "#shared/database/resolved-configs.ts";
import { storedChainOf } from "../state/stored-chain.ts";
import { ExecutorFixture } from "./executor-fixture.ts";
import { resolvedChain } from "./resolved-chain.ts";

describe("the chain of a session", () => {
  let executor: ExecutorFixture;
  before(async () => {
    executor = await ExecutorFixture.start();
  });
  after(() => executor[Symbol.asyncDispose]());

  it("is read once for all sessions that have it", async () => {
    const chain = { ...resolvedChain(), default_runbook: "read once" };
    const config = storedConfig(chain);
    await keepConfig(executor.db, config);
    const first = await storedChainOf(executor.db, config.hash);
    expect(first).to.deep.equal(chain);
    await executor.query("DELETE FROM resolved_configs WHERE config_hash = $1", [config.hash]);
    expect(await storedChainOf(executor.db, config.hash)).to.equal(first);
  });
});
